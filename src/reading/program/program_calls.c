/* SPDX-License-Identifier: Apache-2.0
 *
 * The arguments of calls as additional values of the parameters of the program's own functions: in
 * `def f(m): m.system("ls")` and `f(os)`, m may be os. This covers only functions that are called
 * by their own name or where they are defined, classes called by their names, methods with a name
 * that only one class has, and arguments that may be a thing of the library or a string.
 */
#include "program/program_parts.h"

struct callee {
    const struct node *function; /* NULL: unknown */
    size_t bound;                /* parameters to which the call itself binds a value: self */
};

static bool may_matter(const struct node *arg)
{
    return arg->kind == N_NAME || arg->kind == N_ATTRIBUTE || arg->kind == N_CONSTANT ||
           arg->kind == N_LAMBDA || arg->kind == N_CALL;
}

/* The function that creating an object of a class calls. */
static struct callee constructor(struct program *p, const struct node *class_def)
{
    const struct scope *body = program_scope(p, class_def);
    const struct symbol *init = body ? program_member(p, body, STR("__init__")) : NULL;
    const struct symbol_facts *facts = init ? init->user : NULL;

    if (!facts || facts->n != 1 || facts->first->kind != BIND_FUNCTION)
        return (struct callee){0};
    return (struct callee){facts->first->node, 1};
}

static struct callee bound_function(struct program *p, const struct symbol_facts *facts)
{
    if (!facts || facts->n != 1)
        return (struct callee){0};
    if (facts->first->kind == BIND_FUNCTION)
        return (struct callee){facts->first->node, 0};
    if (facts->first->kind == BIND_CLASS)
        return constructor(p, facts->first->node);
    bool lambda = facts->first->kind == BIND_VALUE && facts->first->node->kind == N_LAMBDA;
    return (struct callee){lambda ? facts->first->node : NULL, 0};
}

/* The def or lambda that a call certainly calls. */
static struct callee callee(struct program *p, const struct item *call)
{
    const struct node *func = call->node->call.func;
    const struct symbol *symbol;
    bool builtin = false;

    if (func->kind == N_LAMBDA)
        return (struct callee){func, 0};
    if (func->kind == N_ATTRIBUTE) {
        const struct node *method = program_method(p, func->attribute.attr);
        return (struct callee){method, method && !program_decorated(method, "staticmethod")};
    }
    if (func->kind != N_NAME)
        return (struct callee){0};
    symbol = program_symbol(call->scope, func->name.id, &builtin);
    return bound_function(p, symbol ? symbol->user : NULL);
}

static void program_calls_give(struct program *p, const struct scope *inner,
                               const struct node *parameter, const struct node *arg,
                               const struct scope *scope)
{
    struct binding b = {.kind = BIND_VALUE, .node = arg, .scope = scope};

    if (may_matter(arg))
        program_bind(p, inner, parameter->arg.arg, b);
}

static void give_named(struct program *p, const struct scope *inner, struct node_list parameters,
                       const struct node *keyword, const struct scope *scope)
{
    for (size_t i = 0; i < parameters.n && i < PROGRAM_MAX_BINDINGS; i++) {
        if (parameters.at[i]->arg.arg == keyword->keyword.arg)
            program_calls_give(p, inner, parameters.at[i], keyword->keyword.value, scope);
    }
}

static void give_all(struct program *p, const struct item *call, struct callee to)
{
    const struct node *function = to.function;
    const struct node *parameters =
        function->kind == N_LAMBDA ? function->lambda.args : function->function.args;
    struct node_list early = parameters->arguments.posonlyargs, late = parameters->arguments.args;
    struct node_list args = call->node->call.args, keywords = call->node->call.keywords;
    const struct scope *inner = program_scope(p, function);

    for (size_t i = 0; inner && i < args.n && i + to.bound < early.n + late.n; i++) {
        size_t at = i + to.bound;
        if (args.at[i]->kind == N_STARRED)
            break;
        program_calls_give(p, inner, at < early.n ? early.at[at] : late.at[at - early.n],
                           args.at[i], call->scope);
    }
    for (size_t i = 0; inner && i < keywords.n; i++) {
        give_named(p, inner, late, keywords.at[i], call->scope);
        give_named(p, inner, parameters->arguments.kwonlyargs, keywords.at[i], call->scope);
    }
}

void program_follow_calls(struct program *p)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct item *call = &p->items[i];
        bool hands_on =
            call->node->kind == N_CALL && (call->node->call.args.n || call->node->call.keywords.n);
        struct callee to = hands_on ? callee(p, call) : (struct callee){0};
        if (to.function)
            give_all(p, call, to);
    }
}
