import {
  isObject,
  LONG_JSON,
  type ParsedJson,
  parseJson,
  type Piecewise,
  readJson,
  type Value,
} from '@engine/expression'
import { BadBinary, unfoldBinary } from '@engine/signing'
import { isUtf8 } from 'node:buffer'
import { endingOf, isNamedCompanion } from './ending.ts'
import { type Converted, yamlToJson } from './yaml-text.ts'

/**
 * Maximum size of a rule file in bytes, and of a ruleset's JSON text in any form. Larger rulesets are not stored, since
 * the next start would reject them.
 */
export const MAX_RULE_FILE = 64 * 1024 * 1024

/** The content of a rule file, or why it cannot be read. */
export type ReadRuleFile =
  | {
      readonly document: Value
      /** For a JSON file: its text, to locate faults. */
      readonly text: string | undefined
    }
  | { readonly reason: string }

/**
 * The document in the bytes of a rule file. JSON, YAML and binary have the same limits and yield the same values:
 * integers of any size are exact, duplicate keys are rejected, nesting is limited to 128 levels.
 *
 * @param file name or path, for its extension; anything other than `.yaml`, `.yml`, `.engine` is read as JSON
 */
export function readRuleFile(file: string, bytes: Uint8Array): ReadRuleFile {
  const reading = ruleFileReading(file, bytes)
  for (;;) {
    const read = reading.advance(Infinity)
    if (read !== undefined) return read
  }
}

/**
 * `readRuleFile` in pieces. Indivisible parts are one piece: decompressing a compiled file (some 10 ms for 10 MB of
 * JSON), and converting YAML to JSON, which takes about 2 s per megabyte.
 *
 * @param yaml already converted to JSON, if available
 */
export function ruleFileReading(file: string, bytes: Uint8Array, yaml?: Converted): Piecewise<ReadRuleFile> {
  const ending = endingOf(file)
  if (bytes.length > MAX_RULE_FILE) return failed(`it has ${bytes.length} bytes, the limit is ${MAX_RULE_FILE}`)
  if (ending === '.engine') return binaryReading(bytes)
  if (!isUtf8(bytes)) return failed('it is not valid UTF-8')
  const text = textOf(bytes)
  if (ending !== '.yaml' && ending !== '.yml') return jsonReading(text, text)
  // YAML is converted to JSON text first, so that both have the same limits and values.
  const converted = yaml ?? yamlToJson(text)
  return 'reason' in converted ? failed(converted.reason) : jsonReading(converted.json, undefined)
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

function failed(reason: string): Piecewise<ReadRuleFile> {
  return { advance: () => ({ reason }) }
}

function jsonReading(json: string, text: string | undefined): Piecewise<ReadRuleFile> {
  return mapped(parsing(json), (parsed) =>
    parsed.kind === 'parsed' ? { document: parsed.value, text } : { reason: parsed.problem.message },
  )
}

function binaryReading(bytes: Uint8Array): Piecewise<ReadRuleFile> {
  return orBadBinary(() => {
    const { text, documentOf } = unfoldBinary(bytes)
    const reading = mapped(parsing(text), (parsed) => ({ document: documentOf(parsed), text: undefined }))
    return {
      advance: (characters) =>
        orBadBinary(
          () => reading.advance(characters),
          (reason) => ({ reason }),
        ),
    }
  }, failed)
}

function orBadBinary<T, F>(run: () => T, otherwise: (reason: string) => F): T | F {
  try {
    return run()
  } catch (error) {
    if (error instanceof BadBinary) return otherwise(error.message)
    throw error
  }
}

/** Short text is parsed in one piece, which is faster. */
function parsing(text: string): Piecewise<ParsedJson> {
  const options = { duplicateKeys: 'refuse', numbers: 'document' } as const
  return text.length > LONG_JSON ? readJson(text, options) : { advance: () => parseJson(text, options) }
}

function mapped<From, To>(work: Piecewise<From>, map: (from: From) => To): Piecewise<To> {
  return {
    advance(characters) {
      const result = work.advance(characters)
      return result === undefined ? undefined : map(result)
    },
  }
}

/**
 * Whether a file that was read is a companion of a rule file: it is named like one and does not contain a ruleset. An
 * unreadable file may be a ruleset with an error.
 */
export function isCompanion(file: string, read: ReadRuleFile): boolean {
  if (!isNamedCompanion(file) || 'reason' in read) return false
  const { document } = read
  return !isObject(document) || !('config' in document || 'steps' in document)
}
