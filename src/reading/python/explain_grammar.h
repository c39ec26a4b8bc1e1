/* SPDX-License-Identifier: Apache-2.0
 *
 * The types of grammar_tables.h, which tools/make-grammar.c writes. A rule has ways (alternatives);
 * a way has items, which are tokens or rules.
 */
#ifndef PYTHON_EXPLAIN_GRAMMAR_H
#define PYTHON_EXPLAIN_GRAMMAR_H

#include "python/explain_parts.h"

enum item_kind { ITEM_TOKEN, ITEM_WORD, ITEM_SOFT, ITEM_RULE, ITEM_CUT };
enum item_mode { MODE_ONE, MODE_MAYBE, MODE_AHEAD, MODE_NOT_AHEAD, MODE_MUST };

enum peg_result {
    RESULT_SOME,
    RESULT_VALUE,
    RESULT_NODE,
    RESULT_CALL,
    RESULT_ERROR_RANGE,
    RESULT_ERROR_FROM,
    RESULT_ERROR_AFTER,
    RESULT_ERROR_LAST,
    RESULT_ERROR_NEXT,
    RESULT_INDENT,
};

enum rule_flag {
    RULE_MEMO = 1 << 0,
    RULE_LEFT = 1 << 1,  /* left-recursive */
    RULE_PLAIN = 1 << 2, /* no wrong forms inside */
    RULE_LOOP = 1 << 3,  /* it has one alternative, tried as long as it matches */
    RULE_LEAST_ONE = 1 << 4,
    RULE_KEEP = 1 << 5, /* the values of the loop are needed */
    RULE_OPERAND = 1 << 6,
};

struct peg_item {
    uint8_t kind, mode;
    int8_t slot; /* where its value is stored; -1: nowhere */
    uint16_t what;
};

struct peg_way {
    uint16_t item;
    uint8_t count, since, until;
    bool wrong;
    uint8_t result;
    int8_t args[2];
    uint8_t kind;
    explain_action *call;
    const char *text;
    uint64_t first[2]; /* the tokens it can start with */
};

struct peg_rule {
    uint16_t way;
    uint8_t count, flags;
    /* of a left-recursive rule: its first alternative that does not begin with the rule itself */
    uint8_t seed;
    uint64_t first[2];
    uint64_t after[2]; /* the tokens that can follow the rule in its left-recursive alternatives */
    bool nullable;
};

#endif
