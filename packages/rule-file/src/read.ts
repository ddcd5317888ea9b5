import { isObject, parseJson, type Value } from '@engine/expression'
import { BadBinary, decodeBinary } from '@engine/signing'
import { isUtf8 } from 'node:buffer'
import { endingOf, isNamedCompanion } from './ending.ts'
import { yamlToJson } from './yaml-text.ts'

/**
 * Bytes of a rule file that is read, and of the JSON text of a ruleset whatever the form of its file. No ruleset is stored
 * that the next start would refuse for its size.
 */
export const LARGEST_RULE_FILE = 64 * 1024 * 1024

/** What a rule file holds, or why it cannot be read. */
export type ReadRuleFile =
  | {
      readonly document: Value
      /** Of a JSON file: its text, for the places of faults. */
      readonly text: string | undefined
    }
  | { readonly reason: string }

/**
 * The document in the bytes of a rule file. JSON, YAML and binary have the same limits and give the same values: integers
 * of any size are exact, a key that comes twice is refused, nesting ends at 128 levels.
 *
 * @param file name or path, for its ending; any other ending than `.yaml`, `.yml`, `.engine` is read as JSON
 */
export function readRuleFile(file: string, bytes: Uint8Array): ReadRuleFile {
  const ending = endingOf(file)
  if (bytes.length > LARGEST_RULE_FILE)
    return { reason: `it has ${bytes.length} bytes, the limit is ${LARGEST_RULE_FILE}` }
  if (ending === '.engine') return readBinary(bytes)
  if (!isUtf8(bytes)) return { reason: 'it is not valid UTF-8' }
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  return ending === '.yaml' || ending === '.yml' ? readYaml(text) : readJson(text, text)
}

/**
 * Whether a file that was read accompanies a rule file and is none itself: it is named like one and holds no ruleset. One
 * that cannot be read may be a ruleset with a mistake.
 */
export function isCompanion(file: string, read: ReadRuleFile): boolean {
  if (!isNamedCompanion(file) || 'reason' in read) return false
  const { document } = read
  return !isObject(document) || !('config' in document || 'steps' in document)
}

function readBinary(bytes: Uint8Array): ReadRuleFile {
  try {
    return { document: decodeBinary(bytes), text: undefined }
  } catch (error) {
    if (error instanceof BadBinary) return { reason: error.message }
    throw error
  }
}

/** YAML becomes JSON text first, so that both have the same limits and the same values. */
function readYaml(text: string): ReadRuleFile {
  const converted = yamlToJson(text)
  return 'reason' in converted ? converted : readJson(converted.json, undefined)
}

function readJson(json: string, text: string | undefined): ReadRuleFile {
  const parsed = parseJson(json, { duplicateKeys: 'refuse' })
  return parsed.kind === 'parsed' ? { document: parsed.value, text } : { reason: parsed.problem.message }
}
