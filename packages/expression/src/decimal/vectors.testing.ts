import * as arithmetic from './arithmetic.ts'
import { Decimal, DecimalError, isDecimal, isWhole, type NumberValue, numberOfText } from './decimal.ts'
import * as doubles from './doubles.ts'
import { round, type RoundingMode, roundQuotient } from './rounding.ts'

/** A row of `vectors.py`. */
export interface Vector {
  readonly operation: string
  readonly operands: readonly string[]
  /** Digits, or the reason of a `DecimalError`. */
  readonly result: string
}

export function* vectorsOf(text: string): Generator<Vector> {
  for (const line of text.split('\n')) {
    if (line === '') continue
    const [operation = '', operands = '', result = ''] = line.split('\t')
    yield { operation, operands: operands.split(' '), result }
  }
}

type Operation = (x: NumberValue, y: NumberValue) => NumberValue
type ByDoubles = (x: number, y: number) => number

const OPERATIONS: Readonly<Record<string, readonly [Operation, ByDoubles]>> = {
  '+': [arithmetic.add, doubles.add],
  '-': [arithmetic.subtract, doubles.subtract],
  '*': [arithmetic.multiply, doubles.multiply],
  '/': [arithmetic.divide, doubles.divide],
  '%': [arithmetic.remainder, doubles.remainder],
}

/** The result of a row, digits as `digitsOfText` writes them. Throws where doubles decide otherwise than digits. */
export function computed({ operation, operands }: Vector): string {
  try {
    return digitsOfText(String(inOneForm(resultOf(operation, operands))))
  } catch (error) {
    if (error instanceof DecimalError) return error.reason
    throw error
  }
}

function resultOf(operation: string, operands: readonly string[]): NumberValue {
  const [first = '', second = '', third = '', fourth = ''] = operands
  switch (operation) {
    case 'read':
      return read(first)
    case 'compare':
      return Math.sign(arithmetic.compare(read(first), read(second)))
    case 'round':
      return round(read(first), Number(second), third as RoundingMode)
    case 'round/':
      return roundQuotient(read(first), read(second), Number(third), fourth as RoundingMode)
    case 'compare/':
      return order(read(first), read(second), read(third), read(fourth))
    case 'sum':
      return operands.map(read).reduce((left, right) => both(left, right, '+'), 0)
    case 'pow':
      return arithmetic.power(read(first), Number(second))
    case 'sqrt':
      return arithmetic.squareRoot(read(first))
    default:
      return both(read(first), read(second), operation)
  }
}

/** A result by digits, which doubles give too where they decide. */
function both(x: NumberValue, y: NumberValue, operation: string): NumberValue {
  const [exact, byDoubles] = OPERATIONS[operation] as readonly [Operation, ByDoubles]
  const result = exact(x, y)
  if (typeof x === 'number' && typeof y === 'number') {
    const decided = byDoubles(x, y)
    if (!Number.isNaN(decided) && decided !== result)
      throw new Error(`${[x, operation, y].join(' ')} is ${String(result)}, by doubles ${decided}`)
  }
  return result
}

function order(x: NumberValue, y: NumberValue, z: NumberValue, w: NumberValue): number {
  const result = arithmetic.compareQuotients(x, y, z, w)
  if ([x, y, z, w].every((value) => typeof value === 'number')) {
    const decided = doubles.compareQuotients(x as number, y as number, z as number, w as number)
    if (!Number.isNaN(decided) && decided !== result)
      throw new Error(`the quotients of ${[x, y, z, w].join(', ')}: ${result}, by doubles ${decided}`)
  }
  return result
}

function read(text: string): NumberValue {
  const value = numberOfText(text)
  if (value === undefined) throw new DecimalError('not-finite')
  return inOneForm(value)
}

/** Throws where a value is not in the one form that `decimal.ts` describes. */
function inOneForm(value: NumberValue): NumberValue {
  if (typeof value === 'bigint' && Number.isSafeInteger(Number(value))) throw new Error(`${value} is a safe integer`)
  if (typeof value === 'number' && isWhole(value) && !Number.isSafeInteger(value))
    throw new Error(`${value} is no bigint`)
  if (!isDecimal(value)) return value
  const shown = String(value)
  if (digitsOfText(String(Number(shown))) === digitsOfText(shown)) throw new Error(`${shown} is what a double shows`)
  const { coefficient, exponent } = Decimal.partsOf(value)
  if (coefficient % 10n === 0n || exponent >= 0) throw new Error(`${shown} has zeros at its end`)
  return value
}

/** The digits and exponent of a text, each number in one form. */
export function digitsOfText(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:E([-+]?\d+))?$/i.exec(text) ?? []
  if (whole === '') return text
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return '0'
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`
}
