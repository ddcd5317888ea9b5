"""Writes operations on decimals and their results by Python's decimal module: `python3 vectors.py COUNT SEED`.

A row is `operator TAB operands, one space apart TAB result`. Integers are exact at any size up to the largest double;
everything else is rounded once to 34 digits, half to even. docs/numbers.md has the rules.
"""

import decimal
import random
import sys
from decimal import Decimal

PRECISION = 34
SIGNALS = [decimal.InvalidOperation, decimal.DivisionByZero]
# Emax is far above the largest double, which the rows check themselves.
NARROW = decimal.Context(prec=PRECISION, rounding=decimal.ROUND_HALF_EVEN, Emin=-6143, Emax=6144, traps=SIGNALS)
WIDE = decimal.Context(prec=40_000, rounding=decimal.ROUND_HALF_EVEN, Emin=-999_999, Emax=999_999, traps=SIGNALS)
LARGEST = Decimal(int(sys.float_info.max))
MODES = {
    "half_up": decimal.ROUND_HALF_UP,
    "half_even": decimal.ROUND_HALF_EVEN,
    "half_down": decimal.ROUND_HALF_DOWN,
    "up": decimal.ROUND_UP,
    "down": decimal.ROUND_DOWN,
    "ceiling": decimal.ROUND_CEILING,
    "floor": decimal.ROUND_FLOOR,
}
decimal.setcontext(WIDE)


class NoNumber(Exception):
    pass


def is_whole(value):
    return value == value.to_integral_value()


def kept(value, is_exact=False):
    result = value if is_exact and is_whole(value) else NARROW.plus(value)
    if abs(result) > LARGEST:
        raise NoNumber("not-finite")
    return result


def read(text):
    return kept(Decimal(text), is_exact=True)


def divide(x, y):
    if y == 0:
        raise NoNumber("division-by-zero")
    if is_whole(x) and is_whole(y) and x % y == 0:
        return kept(WIDE.divide_int(x, y), is_exact=True)
    return kept(NARROW.divide(x, y))


def quotient_rounded(x, y, places, mode):
    """From the exact quotient: an integer division with its rest."""
    if y == 0:
        raise NoNumber("division-by-zero")
    scaled = x.scaleb(places)
    whole = WIDE.divide_int(scaled, y)
    rest = scaled - whole * y
    # Whether the rest is less than, just, or more than a half: digits that round the same way.
    twice = abs(2 * rest) - abs(y)
    tail = Decimal(0) if rest == 0 else Decimal("0.25" if twice < 0 else "0.5" if twice == 0 else "0.75")
    is_negative = (x < 0) != (y < 0)
    magnitude = (abs(whole) + tail).copy_sign(Decimal(-1 if is_negative else 1))
    rounded = magnitude.quantize(Decimal(1), rounding=MODES[mode])
    return kept(rounded.scaleb(-places), is_whole(x) and is_whole(y))


def round_to(x, places, mode):
    if x.as_tuple().exponent >= -places and places >= 0:
        return x
    rounded = x.quantize(Decimal(1).scaleb(-places), rounding=MODES[mode])
    return kept(rounded, is_exact=True)


def order(left, right):
    return Decimal((left > right) - (left < right))


def compare_quotients(x, y, z, w):
    if y == 0 or w == 0:
        raise NoNumber("division-by-zero")
    sign = -1 if (y < 0) != (w < 0) else 1
    return order(sign * x * w, sign * z * y)


def power(x, exponent):
    if exponent == 0:
        return Decimal(1)
    if x == 0:
        if exponent < 0:
            raise NoNumber("not-finite")
        return Decimal(0)
    magnitude = x.adjusted() * exponent
    if magnitude > 2000:
        raise NoNumber("not-finite")
    if magnitude < -9000:
        return Decimal(0)
    raised = WIDE.power(x, abs(exponent))
    return kept(raised, is_whole(x)) if exponent > 0 else kept(NARROW.divide(Decimal(1), raised))


def root(x):
    found = WIDE_ROOT.sqrt(x)
    return kept(found, is_whole(x) and found * found == x)


# Enough for the exact root of the largest integer; what does not end has no tie at 34 digits.
WIDE_ROOT = decimal.Context(prec=400, rounding=decimal.ROUND_DOWN, Emin=-999_999, Emax=999_999, traps=SIGNALS)

ARITHMETIC = {
    "+": lambda x, y: kept(x + y, is_whole(x) and is_whole(y)),
    "-": lambda x, y: kept(x - y, is_whole(x) and is_whole(y)),
    "*": lambda x, y: kept(x * y, is_whole(x) and is_whole(y)),
    "/": divide,
    "compare": order,
}


def remainder(x, y):
    if y == 0:
        raise NoNumber("division-by-zero")
    return kept(x % y, is_whole(x) and is_whole(y))


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def below(self, bound):
        return self.random.randrange(bound)

    def digits(self, count):
        return str(self.below(10**count))

    def sign(self):
        return "-" if self.below(4) == 0 else ""

    @staticmethod
    def point(text, places):
        padded = text.rjust(places + 1, "0")
        return padded if places == 0 else f"{padded[:-places]}.{padded[-places:]}"

    def edge(self):
        """Digits next to the edges of rounding and of the doubles."""
        return self.random.choice(
            [
                "5", "50", "25", "49", "4999999999999999", "9" * (1 + self.below(34)), "1" + "0" * self.below(33),
                "1" + "0" * self.below(20) + "1", "9007199254740993", "9007199254740992", "45035996273704965",
                self.digits(1 + self.below(15)) + "5", self.digits(33) + "5", self.digits(34) + "5",
            ]
        )  # fmt: skip

    def operand(self):
        kind = self.below(12)
        if kind <= 2:
            return self.sign() + self.point(self.digits(1 + self.below(9)), 2)
        if kind == 3:
            return self.sign() + self.point(self.digits(1 + self.below(7)), self.below(7))
        if kind == 4:
            return self.sign() + self.digits(1 + self.below(6))
        if kind == 5:
            return self.sign() + self.digits(1 + self.below(17))
        if kind == 6:
            return self.sign() + self.point(self.digits(1 + self.below(17)), self.below(18))
        if kind == 7:
            return self.sign() + self.point(self.digits(1 + self.below(34)), self.below(35))
        if kind == 8:
            return self.sign() + repr(self.random.random() * 10.0 ** (self.below(20) - 8))
        if kind == 9:
            return self.sign() + f"{self.digits(1 + self.below(17))}e{self.below(500) - 250}"
        if kind == 10:
            return self.sign() + self.digits(1 + self.below(45))
        return self.sign() + self.point(self.edge(), self.below(20))

    def row(self):
        kind = self.random.choice(["+", "-", "*", "/", "%", "compare", "round", "round/", "compare/", "sum", "pow", "sqrt", "read"])
        a, b = self.operand(), self.operand()
        x, y = Decimal(a), Decimal(b)
        if kind in ARITHMETIC:
            return kind, [a, b], lambda: ARITHMETIC[kind](read(a), read(b))
        if kind == "%":
            # The rest of very different sizes has more digits than Python computes.
            if x != 0 and y != 0 and x.adjusted() - y.adjusted() > 3000:
                a = b
            return kind, [a, b], lambda: remainder(read(a), read(b))
        if kind == "round":
            places, mode = self.below(49) - 15 if self.below(4) == 0 else self.below(7), self.random.choice(list(MODES))
            return kind, [a, str(places), mode], lambda: round_to(read(a), places, mode)
        if kind == "round/":
            places, mode = self.below(7), self.random.choice(["half_up", *MODES])
            return kind, [a, b, str(places), mode], lambda: quotient_rounded(read(a), read(b), places, mode)
        if kind == "compare/":
            c, d = self.operand(), self.operand()
            if self.below(2) == 0 and y != 0:
                factor = self.digits(1 + self.below(3))
                c, d = str(x * Decimal(factor)), str(y * Decimal(factor))
            return kind, [a, b, c, d], lambda: compare_quotients(read(a), read(b), read(c), read(d))
        if kind == "sum":
            items = [a, b, *(self.operand() for _ in range(self.below(6)))]
            return kind, items, lambda: total([read(item) for item in items])
        if kind == "pow":
            exponent = self.below(41) - 20 if self.below(8) else self.below(1999) - 999
            return kind, [a, str(exponent)], lambda: power(read(a), exponent)
        if kind == "sqrt":
            a = a.lstrip("-")
            return kind, [a], lambda: root(read(a))
        return kind, [a], lambda: read(a)


def total(items):
    result = Decimal(0)
    for item in items:
        result = kept(result + item, is_whole(result) and is_whole(item))
    return result


def main(count, seed):
    generator = Generator(seed)
    lines = []
    for _ in range(count):
        kind, operands, compute = generator.row()
        try:
            result = str(compute().normalize())
        except NoNumber as failure:
            result = str(failure)
        lines.append(f"{kind}\t{' '.join(operands)}\t{result}\n")
        if len(lines) == 10_000:
            sys.stdout.writelines(lines)
            lines = []
    sys.stdout.writelines(lines)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
