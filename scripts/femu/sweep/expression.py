# SPDX-License-Identifier: GPL-2.0-or-later
"""Conditions of a plan ("qd * tenants <= 32"): Python's arithmetic, comparison,
and, or, not, in, of constants and the plan's axes, and nothing else of Python.

Knows nothing of plans.
"""

import ast
import operator

BINARY = {ast.Add: operator.add, ast.Sub: operator.sub,
          ast.Mult: operator.mul, ast.Div: operator.truediv,
          ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod}
COMPARE = {ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt,
           ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
           ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b}


class ExpressionError(Exception):
    """A text that is no such condition; says which part of it."""


def holds(text, values):
    """Return: whether the condition TEXT is true of VALUES, {name: value}.
    Raises ExpressionError."""
    try:
        return bool(_value(ast.parse(text, mode='eval').body, values))
    except SyntaxError as error:
        raise ExpressionError('"%s": %s' % (text, error.msg)) from None
    except (RecursionError, MemoryError):
        raise ExpressionError('"%.40s...": is nested too deep' %
                              text) from None
    except (TypeError, ArithmeticError, ValueError) as error:
        raise ExpressionError('%s: %s' % (ascii(text), error)) from None


def _computed(op, left, right):
    # Of texts and lists these would be repetition, of any size, and formats.
    if op in (ast.Mult, ast.Mod) and not (
            isinstance(left, (int, float)) and isinstance(right, (int, float))):
        raise TypeError('* and % are of numbers only')
    return BINARY[op](left, right)


def _value(node, values):
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        if node.id not in values:
            raise ExpressionError('"%s" is none of the axes: %s' % (
                node.id, ', '.join(values)))
        return values[node.id]
    if isinstance(node, (ast.Tuple, ast.List)):
        return [_value(one, values) for one in node.elts]
    if isinstance(node, ast.BinOp) and type(node.op) in BINARY:
        return _computed(type(node.op), _value(node.left, values),
                         _value(node.right, values))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return not _value(node.operand, values)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand, values)
    if isinstance(node, ast.BoolOp):
        together = all if isinstance(node.op, ast.And) else any
        return together(_value(one, values) for one in node.values)
    if isinstance(node, ast.Compare):
        return _compared(node, values)
    raise ExpressionError('"%s" is neither arithmetic nor a comparison'
                          % ast.unparse(node))


def _compared(node, values):
    left = _value(node.left, values)
    for op, right in zip(node.ops, node.comparators):
        right = _value(right, values)
        if type(op) not in COMPARE:
            raise ExpressionError('"%s" is neither arithmetic nor a comparison'
                                  % ast.unparse(node))
        if not COMPARE[type(op)](left, right):
            return False
        left = right
    return True
