/** SQL forms for exact decimal numbers. */
export interface DecimalForms {
  /** The decimal with the shortest text of a column or literal. */
  readonly exact: (sql: string) => string
  /**
   * The dividend of a quotient to be rounded, with enough digits to decide the rounding exactly. Undefined if quotients
   * are doubles.
   */
  readonly dividend: ((sql: string) => string) | undefined
  /**
   * The same for a quotient of any size that is not rounded: a larger divisor needs more digits. Reads both operands
   * twice.
   */
  readonly keptDividend: ((dividend: string, divisor: string) => string) | undefined
  /** An integer of another numeric type of the database. */
  readonly integer: (sql: string) => string
  /** The result of an operation, rounded to the digits that the rules keep. */
  readonly significant:
    | ((compute: (left: string, right: string) => string, left: string, right: string) => string)
    | undefined
  /**
   * A number rounded to decimal places with a rounding mode of the rules; undefined if only the database's own rounding
   * is exact.
   */
  readonly rounded: ((sql: string, places: number, mode: string) => string | undefined) | undefined
  /** NULL if the exponent is not an integer or exceeds 999, and where the rules fail. */
  readonly power: ((base: string, exponent: string) => string) | undefined
  /** The same for a number with this scale, rounded to fewer places. */
  readonly roundedFrom: ((sql: string, scale: number, places: number, mode: string) => string | undefined) | undefined
  /** A number with this scale, multiplied by itself. */
  readonly product: ((sql: string, scale: number, times: number) => string) | undefined
  /**
   * A number converted to this scale, if the database limits digits; undefined for databases with numbers of any size.
   */
  readonly scaled: ((sql: string, scale: number) => string) | undefined
}

/**
 * With this offset PostgreSQL computes the expressions of a nested query once, instead of in each place that reads
 * them.
 */
export const FENCE = ' OFFSET 0'

/** Maximum number of significant digits in the rules. */
const DIGITS = 34
/** Number of decimal places of a quotient or a power before rounding. */
const EXTRA_PLACES = 70
/** Powers of ten beyond which the rules fail, or return 0. */
const [MAX_MAGNITUDE, MIN_MAGNITUDE] = [308.2547155599167, -6176]

/**
 * Rounds a result as the rules do: integer results of integer operands are exact, others are rounded to 34 digits, with
 * ties to even.
 */
function significant(compute: (left: string, right: string) => string, left: string, right: string): string {
  const magnitude = `CASE WHEN abs(x) >= 1 THEN length(split_part(CAST(abs(x) AS text), '.', 1)) ELSE length(ltrim(f, '0')) - length(f) END`
  const cut = `abs(x - trunc(x, places)) = CAST('5e' || (-1 - places) AS numeric)`
  const last = `CASE WHEN places < 0 THEN substr(CAST(abs(trunc(x, places)) AS text), ${DIGITS}, 1) ELSE right(CAST(trunc(x, places) AS text), 1) END`
  const isEven = `${last} IN ('0', '2', '4', '6', '8')`
  const isWhole = 'l = trunc(l) AND r = trunc(r) AND x = trunc(x)'
  return (
    `(SELECT CASE WHEN ${isWhole} THEN trunc(x) WHEN ${cut} AND ${isEven} THEN trim_scale(trunc(x, places)) ` +
    `ELSE trim_scale(round(x, places)) END FROM (SELECT l, r, x, ${DIGITS} - ${magnitude} AS places FROM ` +
    `(SELECT l, r, x, split_part(CAST(abs(x) AS text), '.', 2) AS f FROM (SELECT l, r, ${compute('l', 'r')} AS x FROM ` +
    `(SELECT ${left} AS l, ${right} AS r${FENCE}) AS a${FENCE}) AS b${FENCE}) AS c${FENCE}) AS d)`
  )
}

/** The rounding of a scaled integer for each mode; the database itself rounds ties away from 0. */
const MODES: ReadonlyMap<string, string> = new Map([
  ['half_even', 'CASE WHEN abs(y % 1) = 0.5 THEN round(y * 0.5) * 2 ELSE round(y) END'],
  ['half_down', 'sign(y) * ceil(abs(y) - 0.5)'],
  ['up', 'sign(y) * ceil(abs(y))'],
  ['down', 'trunc(y)'],
  ['ceiling', 'ceil(y)'],
  ['floor', 'floor(y)'],
])

function rounded(sql: string, places: number, mode: string): string | undefined {
  if (mode === 'half_up') return `round(${sql}, ${places})`
  const whole = MODES.get(mode)
  const [up, down] = [powerOfTen(places), powerOfTen(-places)]
  return whole === undefined
    ? undefined
    : `(SELECT (${whole}) * ${down} FROM (SELECT ${sql} * ${up} AS y${FENCE}) AS a)`
}

function powerOfTen(exponent: number): string {
  return exponent < 0 ? `0.${'0'.repeat(-exponent - 1)}1` : `1${'0'.repeat(exponent)}`
}

/** The logarithm determines the places that a result needs. The database computes integer powers with all of them. */
function power(base: string, exponent: string): string {
  const raise = (x: string, n: string) => {
    const logarithm = `${n} * log(abs(${x}))`
    const raised = `power(round(${x}, CAST(greatest(scale(${x}), 0, -ceil(${logarithm})) AS integer) + ${EXTRA_PLACES}), ${n})`
    return (
      `CASE WHEN ${x} IS NULL OR ${n} <> trunc(${n}) OR abs(${n}) > 999 THEN NULL WHEN ${n} = 0 THEN 1 WHEN ${x} = 0 THEN CASE WHEN ${n} > 0 THEN 0 END ` +
      `WHEN ${logarithm} > ${MAX_MAGNITUDE} THEN NULL WHEN ${logarithm} < ${MIN_MAGNITUDE} THEN 0 ELSE ${raised} END`
    )
  }
  return significant(raise, base, exponent)
}

/** A cast of a double to `numeric` keeps 15 digits, but its text has all. */
export const NUMERIC: DecimalForms = {
  exact: (sql) => `CAST(CAST(${sql} AS text) AS numeric)`,
  dividend: (sql) => `${sql} * 1.${'0'.repeat(EXTRA_PLACES)}`,
  keptDividend: (dividend, divisor) =>
    `round(${dividend}, scale(${dividend}) + ${EXTRA_PLACES} + length(split_part(CAST(abs(${divisor}) AS text), '.', 1)))`,
  integer: (sql) => `CAST(${sql} AS numeric)`,
  significant,
  rounded,
  power,
  roundedFrom: undefined,
  product: undefined,
  scaled: undefined,
}

const scaled38 = (sql: string, scale: number): string => `CAST(${sql} AS DECIMAL(38, ${scale}))`

/** An expression over `x`, which is computed only once: a subquery takes five times as long. */
const withX = (sql: string, expression: string): string => `list_transform([${sql}], lambda x: ${expression})[1]`

/**
 * Derived from the rounding of the database, which rounds ties away from 0: `r` is at most half a unit from the number,
 * and the other candidate is one unit further.
 */
function roundedFrom(sql: string, scale: number, places: number, mode: string): string | undefined {
  const constant = (text: string) => scaled38(text, scale)
  const unit = constant(powerOfTen(-places))
  const half = constant(`5${powerOfTen(-places - 1).slice(1)}`.replace(/^5\.(0*)1$/, '0.$15'))
  const nearest = scaled38(`round(x, ${places})`, scale)
  const away = `CASE WHEN x < 0 THEN -${unit} ELSE ${unit} END`
  const isHalf = `abs(r) - abs(x) = ${half}`
  const conditions: ReadonlyMap<string, readonly [condition: string, other: string]> = new Map([
    ['half_even', [`${isHalf} AND r % (${unit} + ${unit}) <> 0`, `r - (${away})`]],
    ['half_down', [isHalf, `r - (${away})`]],
    ['up', ['abs(r) < abs(x)', `r + (${away})`]],
    ['down', ['abs(r) > abs(x)', `r - (${away})`]],
    ['ceiling', ['r < x', `r + ${unit}`]],
    ['floor', ['r > x', `r - ${unit}`]],
  ])
  const found = conditions.get(mode)
  if (found === undefined) return undefined
  const [condition, other] = found
  return withX(scaled38(sql, scale), `CASE WHEN ${condition} THEN ${other} ELSE r END`.replaceAll(/\br\b/g, nearest))
}

/**
 * Each operand is cast to 38 digits: otherwise a product of smaller decimals would overflow. The database truncates
 * digits if operands of functions other than `+`, `-` and `*` differ in scale.
 */
export const DECIMAL_38: DecimalForms = {
  exact: (sql) => sql,
  dividend: undefined,
  keptDividend: undefined,
  integer: (sql) => `CAST(${sql} AS DECIMAL(38, 0))`,
  significant: undefined,
  rounded: undefined,
  power: undefined,
  roundedFrom,
  product: (sql, scale, times) => withX(scaled38(sql, scale), Array.from({ length: times }, () => 'x').join(' * ')),
  scaled: scaled38,
}
