"""Writes `conformance/numbers.json`, decimal rulesets with their decisions by Python's decimal module: `python3 decimal_cases.py RULESETS SEED`.

A ruleset compares and computes with the fields `a`, `b` and `c`. docs/decimals.md has the rules.
"""

import json
import re
import sys
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "packages/expression/src/decimal"))

from vectors import (  # noqa: E402
    ARITHMETIC, MODES, Generator, NoNumber, compare_quotients, is_whole, kept, order, power, quotient_rounded, read,
    remainder, round_to, total,
)  # fmt: skip

INPUTS = 6
ORDERS = {
    "<": lambda sign: sign < 0,
    "<=": lambda sign: sign <= 0,
    ">": lambda sign: sign > 0,
    ">=": lambda sign: sign >= 0,
    "==": lambda sign: sign == 0,
    "!=": lambda sign: sign != 0,
}
OPERATIONS = {**{operator: ARITHMETIC[operator] for operator in "+-*/"}, "%": remainder}
ONE = Decimal(1)


class Number:
    """The text of an expression, and its value for an input. `quotient` has the two sides of a division."""

    def __init__(self, text, compute, quotient=None):
        self.text = text
        self.compute = compute
        self.quotient = quotient

    def sides(self, env):
        left, right = self.quotient or (self, None)
        return left.compute(env), right.compute(env) if right else ONE


def binary(operator, left, right):
    def compute(env):
        return OPERATIONS[operator](left.compute(env), right.compute(env))

    return Number(f"({left.text} {operator} {right.text})", compute, (left, right) if operator == "/" else None)


def rounded(number, places, mode):
    def compute(env):
        x, y = number.sides(env)
        return quotient_rounded(x, y, places, mode) if number.quotient else round_to(x, places, mode)

    return Number(f'round({number.text}, {places}, "{mode}")', compute)


def whole(name, mode):
    return lambda one: Number(
        f"{name}({one.text})", lambda env: kept(one.compute(env).to_integral_value(rounding=mode), is_exact=True)
    )


def called(name, function, numbers):
    text = ", ".join(number.text for number in numbers)
    return Number(f"{name}({text})", lambda env: function([number.compute(env) for number in numbers]))


class Rules(Generator):
    """Random rulesets and inputs."""

    def amount(self):
        if self.below(3) == 0:
            return re.sub(r"^(-?)0+(?=\d)", r"\1", self.operand())
        return self.sign() + self.point(self.digits(1 + self.below(8)), self.random.choice([0, 1, 2, 2, 2, 4]))

    def literal(self):
        amount = self.amount().lstrip("-")
        # A constant of more than 34 digits is refused.
        amounts = [amount] if sum(map(str.isdigit, amount)) <= 34 else []
        text = self.random.choice(["0.1", "2", "100", "0.19", "1.005", "3", "12", "0.005", *amounts])
        return Number(text, lambda env: read(text))

    def field(self):
        name = self.random.choice("abc")
        return Number(name, lambda env: env[name])

    def number(self, depth):
        if depth == 0 or self.below(5) == 0:
            return self.literal() if self.below(3) == 0 else self.field()
        kind = self.below(14)
        if kind <= 5:
            return binary(self.random.choice("++--**/%"), self.number(depth - 1), self.number(depth - 1))
        if kind <= 7:
            one = binary("/", self.number(depth - 1), self.number(depth - 1)) if kind == 7 else self.number(depth - 1)
            return rounded(one, self.random.choice([0, 1, 2, 2, 3, 6, -1]), self.random.choice(list(MODES)))
        one = self.number(depth - 1)
        if kind == 8:
            return Number(f"(-{one.text})", lambda env: kept(0 - one.compute(env), is_exact=True))
        if kind == 9:
            return called("abs", lambda values: abs(values[0]), [one])
        if kind == 10:
            return self.random.choice([whole("floor", ROUND_FLOOR), whole("ceil", ROUND_CEILING)])(one)
        if kind == 11:
            others = [one, self.number(depth - 1), self.field()]
            return called(*self.random.choice([("min", min), ("max", max)]), others)
        if kind == 12:
            exponent = self.random.choice([-3, -1, 0, 1, 2, 3, 12])
            return Number(f"pow({one.text}, {exponent})", lambda env: power(one.compute(env), exponent))
        items = [one, self.number(depth - 1), self.field(), self.field()]
        added = called("sum", total, items)
        return Number(f"sum([{added.text[4:-1]}])", added.compute)

    def comparison(self):
        operator = self.random.choice(list(ORDERS))
        left, right = self.number(2), self.number(2)
        if self.below(3) == 0:
            left = binary("/", self.number(1), self.number(1))

        def compute(env):
            (x, y), (z, w) = left.sides(env), right.sides(env)
            is_quotient = left.quotient or right.quotient
            return ORDERS[operator](compare_quotients(x, y, z, w) if is_quotient else order(x, z))

        return f"{left.text} {operator} {right.text}", compute

    def ruleset(self):
        condition, holds = self.comparison()
        # Each output alone would fail for few inputs, and a list of them for most.
        ends = {code: [self.number(3) for _ in range(2)] for code in ("YES", "NO")}
        steps = {
            "test": {
                "id": "test",
                "type": "decision",
                "branches": [{"condition": condition, "next_step": "YES"}],
                "default_next": "NO",
            }
        }
        for code, numbers in ends.items():
            output = [[f"x{index}", number.text] for index, number in enumerate(numbers)]
            steps[code] = {"id": code, "type": "terminal", "result": {"code": code, "message": "", "output": output}}
        config = {"name": "main", "entry_step": "test", "numbers": "decimal"}
        ruleset = json.dumps({"config": config, "steps": steps})
        inputs = ",\n".join(self.case(holds, ends) for _ in range(INPUTS))
        return f'{{"ruleset":{ruleset},"inputs":[\n{inputs}]}}'

    def case(self, holds, ends):
        given = {name: self.amount() for name in "abc"}
        env = {name: read(text) for name, text in given.items()}
        members = ",".join(f'"{name}":{text}' for name, text in given.items())
        try:
            code = "YES" if holds(env) else "NO"
            output = ",".join(f'"x{index}":{shown(one.compute(env))}' for index, one in enumerate(ends[code]))
            end = f'"decision":{{"code":"{code}","message":"","output":{{{output}}}}}'
        except NoNumber:
            end = '"error":true'
        return f'{{"input":{{{members}}},{end}}}'


def shown(value):
    """The digits of a number as JSON."""
    if value == 0:
        return "0"
    return format(value.to_integral_value(), "f") if is_whole(value) else str(value.normalize())


def main(count, seed):
    rules = Rules(seed)
    about = f"Decimal rulesets, by Python's decimal module. `python3 tests/conformance/decimal_cases.py {count} {seed}`"
    cases = ",\n".join(rules.ruleset() for _ in range(count))
    print(f'{{"about":{json.dumps(about)},"cases":[\n{cases}]}}')


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
