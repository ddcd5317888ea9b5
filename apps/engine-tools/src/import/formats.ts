import { isList, isObject, parseJson, type Value } from '@engine/expression'
import { endingOf } from '@engine/rule-file'
import {
  type DmnOptions,
  fromCsv,
  fromDmn,
  fromJdm,
  fromJsonRulesEngine,
  fromXlsx,
  type Imported,
  type JdmOptions,
} from '@engine/interchange'

/** Options of single formats. */
export interface ImportOptions extends DmnOptions, JdmOptions {}

interface Format {
  /** Extensions of the documents that are looked for in folders. */
  readonly endings: readonly string[]
  /** @param name of the ruleset where the document has none. Throws `TooLarge`. */
  readonly read: (bytes: Buffer, name: string, path: string, options: ImportOptions) => Imported
}

/** Formats of documents by the value of `--from`. */
export const FORMATS = {
  gorules: {
    endings: ['.json'],
    read: (bytes, name, _path, options) => ofJson(bytes, (document) => fromJdm(document, name, options)),
  },
  dmn: {
    endings: ['.dmn'],
    read: (bytes, name, _path, options) =>
      ofText(bytes, (text) => fromDmn(text, options.decision === undefined ? undefined : name, options)),
  },
  'json-rules-engine': {
    endings: ['.json'],
    read: (bytes, name) => ofJson(bytes, (document) => fromJsonRulesEngine(document, name)),
  },
  sheet: {
    endings: ['.csv', '.xlsx'],
    read: (bytes, name, path) =>
      path.endsWith('.xlsx') ? fromXlsx(bytes, name) : ofText(bytes, (text) => fromCsv(text, name)),
  },
} as const satisfies { readonly [name: string]: Format }

export type ImportFormat = keyof typeof FORMATS

/** The format with all its members typed alike. */
export const formatOf = (name: ImportFormat): Format => FORMATS[name]

/** The format that alone has the ending of a path; undefined: rule files have it as well, or no format. */
export function formatNamedBy(path: string): string | undefined {
  if (endingOf(path) !== undefined) return undefined
  const formats = Object.entries<Format>(FORMATS)
  return formats.find(([, { endings }]) => endings.some((ending) => path.endsWith(ending)))?.[0]
}

/** The format of a JSON document that no engine accepts as a ruleset, by its members; undefined: it may be meant as one. */
export function formatOfDocument(document: Value): ImportFormat | undefined {
  if (!isObject(document) || document['config'] !== undefined || document['steps'] !== undefined) return undefined
  if (isList(document['nodes']) && isList(document['edges'])) return 'gorules'
  const [rule = document] = isList(document['rules']) ? document['rules'] : []
  return isObject(rule) && isObject(rule['conditions']) && isObject(rule['event']) ? 'json-rules-engine' : undefined
}

function ofText(bytes: Buffer, read: (text: string) => Imported): Imported {
  try {
    return read(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    if (error instanceof TypeError) return unreadable('it is not text in UTF-8')
    throw error
  }
}

function ofJson(bytes: Buffer, read: (document: Value) => Imported): Imported {
  return ofText(bytes, (text) => {
    const parsed = parseJson(text, { duplicateKeys: 'refuse', numbers: 'document' })
    if (parsed.kind === 'parsed') return read(parsed.value)
    const { reason, line, column } = parsed.problem
    return unreadable(`it is not JSON: ${reason}`, { line, column })
  })
}

/** A document of which nothing is read. */
export function unreadable(
  message: string,
  place: { readonly line?: number; readonly column?: number } = {},
): Imported {
  return { rulesets: [], lost: [{ path: '', code: 'unreadable', message, severity: 'error', ...place }] }
}
