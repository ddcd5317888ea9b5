import type { Call } from '../ast.ts'
import { failures as common } from '../failures.ts'
import { type ParsedJson, parseJson, readJson } from '../json/json.ts'
import { LIMITS, type Numbers, type Runtime } from '../runtime.ts'
import type { Value } from '../value.ts'
import { failures } from './failures.ts'

/** Upper bound of the bytes that parsed JSON takes, by the characters that start its parts. */
function bytesOf(character: string): number {
  switch (character) {
    case '{':
      return 96
    case '[':
      return 160
    case ':':
      return 32
    case ',':
      return 24
    default:
      return 2
  }
}

/** Characters read between two charges. */
const SCAN_CHARACTERS = 16_384

/** Account for the value of JSON text before it is parsed. */
function createParsed({ budget }: Runtime, subject: string): void {
  for (let start = 0; start < subject.length; start += SCAN_CHARACTERS) {
    const end = Math.min(start + SCAN_CHARACTERS, subject.length)
    let bytes = 0
    for (let index = start; index < end; index++) bytes += bytesOf(subject.charAt(index))
    budget.spend(3 * (end - start))
    budget.create(bytes)
  }
}

/** Characters parsed between two clock readings: some milliseconds for an object made only of keys. */
const CHUNK_CHARACTERS = 32 * 1024

/** An object with many members takes longer than its length suggests, so the clock is read during parsing. */
function readInPieces({ budget }: Runtime, subject: string, numbers: Numbers): ParsedJson {
  const options = { duplicateKeys: 'last', numbers } as const
  if (subject.length <= CHUNK_CHARACTERS) return parseJson(subject, options)
  const reading = readJson(subject, options)
  for (;;) {
    const parsed = reading.advance(CHUNK_CHARACTERS)
    if (parsed !== undefined) return parsed
    budget.look()
  }
}

/** The value of the JSON text in argument `index`, or an error at that argument. Charges parsing and allocation. */
export function parsedJson(
  runtime: Runtime,
  node: Call,
  index: number,
  subject: string,
  numbers: Numbers = 'double',
): Value {
  if (subject.length > LIMITS.value) throw common.valueTooLarge(node.span, 'text')
  createParsed(runtime, subject)
  const parsed = readInPieces(runtime, subject, numbers)
  if (parsed.kind === 'failed') throw failures.badArgument(node, index, parsed.problem.message)
  return parsed.value
}
