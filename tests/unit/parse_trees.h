/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs and their trees, as CPython 3.target has them: ast.dump() of the module's body, without
 * `ctx=Load()`, positions (where they matter) as @line.column-line.column behind their node.
 */
#ifndef PARSE_TREES_H
#define PARSE_TREES_H

/* clang-format off */
static const struct {
    unsigned target;
    const char *text, *tree;
} trees[] = {
    {11, "x = y",
     "Assign(targets=[Name(id='x', ctx=Store())@1.0-1.1], value=Name(id='y')@1.4-1.5)"
     "@1.0-1.5"},
    {11, "(a), b = c",
     "Assign(targets=[Tuple(elts=[Name(id='a', ctx=Store())@1.1-1.2, Name(id='b',"
     " ctx=Store())@1.5-1.6], ctx=Store())@1.0-1.6], value=Name(id='c')@1.9-1.10)"
     "@1.0-1.10"},
    {11, "(a): int",
     "AnnAssign(target=Name(id='a', ctx=Store())@1.1-1.2, annotation=Name(id='int')"
     "@1.5-1.8, simple=0)@1.0-1.8"},
    {11, "@d\nclass C(B, k=1): pass;",
     "ClassDef(name='C', bases=[Name(id='B')@2.8-2.9], keywords=[keyword(arg='k',"
     " value=Constant(value=1)@2.13-2.14)@2.11-2.14], body=[Pass()@2.17-2.21], decorator_list=[Name"
     "(id='d')@1.1-1.2])@2.0-2.22"},
    {11, "if a: b\nelif c: d\nelse: e",
     "If(test=Name(id='a')@1.3-1.4, body=[Expr(value=Name(id='b')@1.6-1.7)@1.6-1.7],"
     " orelse=[If(test=Name(id='c')@2.5-2.6, body=[Expr(value=Name(id='d')@2.8-2.9)"
     "@2.8-2.9], orelse=[Expr(value=Name(id='e')@3.6-3.7)@3.6-3.7])@2.0-3.7])@1.0-3.7"},
    {11, "f(x for x in y)",
     "Expr(value=Call(func=Name(id='f')@1.0-1.1, args=[GeneratorExp(elt=Name(id='x')"
     "@1.2-1.3, generators=[comprehension(target=Name(id='x', ctx=Store())@1.8-1.9,"
     " iter=Name(id='y')@1.13-1.14, ifs=[], is_async=0)])@1.1-1.15], keywords=[])"
     "@1.0-1.15)@1.0-1.15"},
    {11, "f(**k, a=1)",
     "Expr(value=Call(func=Name(id='f')@1.0-1.1, args=[], keywords=[keyword(value=Name"
     "(id='k')@1.4-1.5)@1.2-1.5, keyword(arg='a', value=Constant(value=1)@1.9-1.10)"
     "@1.7-1.10])@1.0-1.11)@1.0-1.11"},
    {11, "f(a, *b, c=1, *d)",
     "Expr(value=Call(func=Name(id='f'), args=[Name(id='a'), Starred(value=Name(id='b')),"
     " Starred(value=Name(id='d'))], keywords=[keyword(arg='c', value=Constant(value=1))]))"},
    {11, "a[b:, *c]",
     "Expr(value=Subscript(value=Name(id='a')@1.0-1.1, slice=Tuple(elts=[Slice(lower=Name"
     "(id='b')@1.2-1.3)@1.2-1.4, Starred(value=Name(id='c')@1.7-1.8)@1.6-1.8])@1.2-1.8)"
     "@1.0-1.9)@1.0-1.9"},
    {11, "a < b not in c is not d",
     "Expr(value=Compare(left=Name(id='a'), ops=[Lt(), NotIn(), IsNot()], comparators=[Name"
     "(id='b'), Name(id='c'), Name(id='d')]))"},
    {11, "a or b or (c or d)",
     "Expr(value=BoolOp(op=Or(), values=[Name(id='a'), Name(id='b'), BoolOp(op=Or"
     "(), values=[Name(id='c'), Name(id='d')])]))"},
    {11, "-a ** -b",
     "Expr(value=UnaryOp(op=USub(), operand=BinOp(left=Name(id='a'), op=Pow(), right=UnaryOp"
     "(op=USub(), operand=Name(id='b')))))"},
    {11, "not a == b",
     "Expr(value=UnaryOp(op=Not(), operand=Compare(left=Name(id='a'), ops=[Eq()],"
     " comparators=[Name(id='b')])))"},
    {11, "await a ** b",
     "Expr(value=BinOp(left=Await(value=Name(id='a')), op=Pow(), right=Name(id='b')))"},
    {11, "lambda a, /, b=1, *c, d, e=2, **f: 0",
     "Expr(value=Lambda(args=arguments(posonlyargs=[arg(arg='a')], args=[arg(arg='b')],"
     " vararg=arg(arg='c'), kwonlyargs=[arg(arg='d'), arg(arg='e')], kw_defaults=[None,"
     " Constant(value=2)], kwarg=arg(arg='f'), defaults=[Constant(value=1)]), body=Constant"
     "(value=0)))"},
    {11, "def f(*a: *b) -> c: pass",
     "FunctionDef(name='f', args=arguments(posonlyargs=[], args=[], vararg=arg(arg='a',"
     " annotation=Starred(value=Name(id='b')@1.11-1.12)@1.10-1.12)@1.7-1.12, kwonlyargs=[],"
     " kw_defaults=[], defaults=[]), body=[Pass()@1.20-1.24], decorator_list=[],"
     " returns=Name(id='c')@1.17-1.18)@1.0-1.24"},
    {11, "from .. a . b import (c as d, e,)",
     "ImportFrom(module='a.b', names=[alias(name='c', asname='d'), alias(name='e')],"
     " level=2)"},
    {11, "import a.b as c",
     "Import(names=[alias(name='a.b', asname='c')@1.7-1.15])@1.0-1.15"},
    {11, "with (a, b as c,): d",
     "With(items=[withitem(context_expr=Name(id='a')), withitem(context_expr=Name"
     "(id='b'), optional_vars=Name(id='c', ctx=Store()))], body=[Expr(value=Name"
     "(id='d'))])"},
    {11, "with (a, b) as c: d",
     "With(items=[withitem(context_expr=Tuple(elts=[Name(id='a'), Name(id='b')]),"
     " optional_vars=Name(id='c', ctx=Store()))], body=[Expr(value=Name(id='d'))])"},
    {11, "with (yield): d",
     "With(items=[withitem(context_expr=Yield())], body=[Expr(value=Name(id='d'))])"},
    {11, "try: a\nexcept* b as c: d",
     "TryStar(body=[Expr(value=Name(id='a'))], handlers=[ExceptHandler(type=Name"
     "(id='b'), name='c', body=[Expr(value=Name(id='d'))])], orelse=[], finalbody=[])"},
    {11, "match a, *b:\n case {1: _, **c}: d",
     "Match(subject=Tuple(elts=[Name(id='a'), Starred(value=Name(id='b'))]), cases=[match_case"
     "(pattern=MatchMapping(keys=[Constant(value=1)], patterns=[MatchAs()], rest='c'),"
     " body=[Expr(value=Name(id='d'))])])"},
    {11, "match x:\n case C(a, b=-1j) | [*_, \"s\"] as y if z: 0",
     "Match(subject=Name(id='x')@1.6-1.7, cases=[match_case(pattern=MatchAs(pattern=MatchOr"
     "(patterns=[MatchClass(cls=Name(id='C')@2.6-2.7, patterns=[MatchAs(name='a')"
     "@2.8-2.9], kwd_attrs=['b'], kwd_patterns=[MatchValue(value=UnaryOp(op=USub"
     "(), operand=Constant(value=1j)@2.14-2.16)@2.13-2.16)@2.13-2.16])@2.6-2.17,"
     " MatchSequence(patterns=[MatchStar()@2.21-2.23, MatchValue(value=Constant(value='s')"
     "@2.25-2.28)@2.25-2.28])@2.20-2.29])@2.6-2.29, name='y')@2.6-2.34, guard=Name"
     "(id='z')@2.38-2.39, body=[Expr(value=Constant(value=0)@2.41-2.42)@2.41-2.42])])"
     "@1.0-2.42"},
    {11, "match = case",
     "Assign(targets=[Name(id='match', ctx=Store())], value=Name(id='case'))"},
    {11, "[x async for x, in y if a if b]",
     "Expr(value=ListComp(elt=Name(id='x'), generators=[comprehension(target=Tuple"
     "(elts=[Name(id='x', ctx=Store())], ctx=Store()), iter=Name(id='y'), ifs=[Name"
     "(id='a'), Name(id='b')], is_async=1)]))"},
    {11, "{**a, b: c}",
     "Expr(value=Dict(keys=[None, Name(id='b')], values=[Name(id='a'), Name(id='c')]))"},
    {11, "{(a := 1): 2}",
     "Expr(value=Dict(keys=[NamedExpr(target=Name(id='a', ctx=Store()), value=Constant"
     "(value=1))], values=[Constant(value=2)]))"},
    {11, "del (a, [b]), c.d",
     "Delete(targets=[Tuple(elts=[Name(id='a', ctx=Del()), List(elts=[Name(id='b',"
     " ctx=Del())], ctx=Del())], ctx=Del()), Attribute(value=Name(id='c'), attr='d',"
     " ctx=Del())])"},
    {11, "x = *a, b",
     "Assign(targets=[Name(id='x', ctx=Store())], value=Tuple(elts=[Starred(value=Name"
     "(id='a')), Name(id='b')]))"},
    {11, "\"a\" u\"b\"",
     "Expr(value=Constant(value='ab')@1.0-1.8)@1.0-1.8"},
    {11, "u\"a\" \"b\"",
     "Expr(value=Constant(value='ab', kind='u')@1.0-1.8)@1.0-1.8"},
    {11, "f\"a{ b!r:>{c}}\" \"d\"",
     "Expr(value=JoinedStr(values=[Constant(value='a')@1.0-1.19, FormattedValue(value=Name"
     "(id='b')@1.5-1.6, conversion=114, format_spec=JoinedStr(values=[Constant(value='>')"
     "@1.0-1.19, FormattedValue(value=Name(id='c')@1.11-1.12, conversion=-1)@1.0-1.19])"
     "@1.0-1.15)@1.0-1.19, Constant(value='d')@1.0-1.19])@1.0-1.19)@1.0-1.19"},
    {11, "f\"\"\"\n{\nx}\"\"\"",
     "Expr(value=JoinedStr(values=[Constant(value='\\n')@1.0-3.5, FormattedValue(value=Name"
     "(id='x')@3.0-3.1, conversion=-1)@1.0-3.5])@1.0-3.5)@1.0-3.5"},
    {11, "f\"{x = }\"",
     "Expr(value=JoinedStr(values=[Constant(value='x = ')@1.0-1.9, FormattedValue"
     "(value=Name(id='x')@1.3-1.4, conversion=114)@1.0-1.9])@1.0-1.9)@1.0-1.9"},
    {11, "f\"{{}}\"",
     "Expr(value=JoinedStr(values=[Constant(value='{}')]))"},
    {11, "f\"\"",
     "Expr(value=JoinedStr(values=[]))"},
    {11, "f\"{a!=b}\"",
     "Expr(value=JoinedStr(values=[FormattedValue(value=Compare(left=Name(id='a'),"
     " ops=[NotEq()], comparators=[Name(id='b')]), conversion=-1)]))"},
    {12, "f\"a{ b!r:>{c}}\" \"d\"",
     "Expr(value=JoinedStr(values=[Constant(value='a')@1.2-1.3, FormattedValue(value=Name"
     "(id='b')@1.5-1.6, conversion=114, format_spec=JoinedStr(values=[Constant(value='>')"
     "@1.9-1.10, FormattedValue(value=Name(id='c')@1.11-1.12, conversion=-1)@1.10-1.13,"
     " Constant(value='')@1.13-1.13])@1.8-1.13)@1.3-1.14, Constant(value='d')@1.16-1.19])"
     "@1.0-1.19)@1.0-1.19"},
    {12, "f\"{a:}\"",
     "Expr(value=JoinedStr(values=[FormattedValue(value=Name(id='a')@1.3-1.4, conversion=-1,"
     " format_spec=JoinedStr(values=[])@1.4-1.5)@1.2-1.6])@1.0-1.7)@1.0-1.7"},
    {12, "type X[T: int, *U, **V] = T",
     "TypeAlias(name=Name(id='X', ctx=Store()), type_params=[TypeVar(name='T', bound=Name"
     "(id='int')), TypeVarTuple(name='U'), ParamSpec(name='V')], value=Name(id='T'))"},
    {12, "def f[T](): pass",
     "FunctionDef(name='f', args=arguments(posonlyargs=[], args=[], kwonlyargs=[],"
     " kw_defaults=[], defaults=[]), body=[Pass()], decorator_list=[], type_params=[TypeVar"
     "(name='T')])"},
    {13, "f\"a{ b!r:>{c}}\" \"d\"",
     "Expr(value=JoinedStr(values=[Constant(value='a')@1.2-1.3, FormattedValue(value=Name"
     "(id='b')@1.5-1.6, conversion=114, format_spec=JoinedStr(values=[Constant(value='>')"
     "@1.9-1.10, FormattedValue(value=Name(id='c')@1.11-1.12, conversion=-1)@1.10-1.13])"
     "@1.8-1.13)@1.3-1.14, Constant(value='d')@1.16-1.19])@1.0-1.19)@1.0-1.19"},
    {13, "f\"{x = :y}\"",
     "Expr(value=JoinedStr(values=[Constant(value='x = ')@1.3-1.7, FormattedValue"
     "(value=Name(id='x')@1.3-1.4, conversion=-1, format_spec=JoinedStr(values=[Constant"
     "(value='y')@1.8-1.9])@1.7-1.9)@1.2-1.10])@1.0-1.11)@1.0-1.11"},
    {13, "f\"\"\"\n{\nx}\"\"\"",
     "Expr(value=JoinedStr(values=[Constant(value='\\n')@1.4-2.0, FormattedValue(value=Name"
     "(id='x')@3.0-3.1, conversion=-1)@2.0-3.2])@1.0-3.5)@1.0-3.5"},
    {13, "f\"{'\\n'=}\"",
     "Expr(value=JoinedStr(values=[Constant(value=\"'\\n'=\"), FormattedValue(value=Constant"
     "(value='\\n'), conversion=114)]))"},
    {13, "class A[T = int, *U = *V](B): pass",
     "ClassDef(name='A', bases=[Name(id='B')], body=[Pass()], type_params=[TypeVar"
     "(name='T', default_value=Name(id='int')), TypeVarTuple(name='U', default_value=Starred"
     "(value=Name(id='V')))])"},
    {14, "t\"a{ b!r:>{c}}\" t\"d\"",
     "Expr(value=TemplateStr(values=[Constant(value='a')@1.2-1.3, Interpolation(value=Name"
     "(id='b')@1.5-1.6, str=' b', conversion=114, format_spec=JoinedStr(values=[Constant"
     "(value='>')@1.9-1.10, FormattedValue(value=Name(id='c')@1.11-1.12, conversion=-1)"
     "@1.10-1.13])@1.8-1.13)@1.3-1.14, Constant(value='d')@1.18-1.19])@1.0-1.20)"
     "@1.0-1.20"},
    {14, "t\"{x = }\"",
     "Expr(value=TemplateStr(values=[Constant(value='x = '), Interpolation(value=Name"
     "(id='x'), str='x', conversion=114)]))"},
    {14, "f\"{'\\n'=}\"",
     "Expr(value=JoinedStr(values=[Constant(value=\"'\\\\n'=\"), FormattedValue(value=Constant"
     "(value='\\n'), conversion=114)]))"},
    {14, "try: a\nexcept b, c: d",
     "Try(body=[Expr(value=Name(id='a'))], handlers=[ExceptHandler(type=Tuple(elts=[Name"
     "(id='b'), Name(id='c')]), body=[Expr(value=Name(id='d'))])])"},
    {14, "rf'{x:\\n}'",
     "Expr(value=JoinedStr(values=[FormattedValue(value=Name(id='x'), conversion=-1,"
     " format_spec=JoinedStr(values=[Constant(value='\\\\n')]))]))"},
};
/* clang-format on */

#endif
