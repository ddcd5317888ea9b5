import { tableKeys, quote, type Value } from '@engine/expression'
import { invalidParameter, truthOf } from '@engine/http-api'
import { HttpError } from '@engine/http-server'
import type { ImportFormat, ImportOptions } from '../../compute/tasks.ts'

const JSON_TYPES = ['application/json'] as const
const XML_TYPES = ['application/xml', 'text/xml'] as const
const XLSX_TYPES = [
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/octet-stream',
] as const

/** Content types by format; the first one is used in responses. */
const TYPES: { readonly [Format in ImportFormat]: readonly string[] } = {
  engine: JSON_TYPES,
  jdm: JSON_TYPES,
  dmn: XML_TYPES,
  'json-rules-engine': JSON_TYPES,
  xlsx: XLSX_TYPES,
  csv: ['text/csv'],
}

export const IMPORT_FORMATS = tableKeys(TYPES)

/**
 * Body parsers that return the raw bytes: decoding 50 MiB would block the event loop, and parsing it even longer. A worker
 * thread does both.
 */
export const READS = Object.fromEntries(
  // The cast hides a `Buffer`, which no JSON body contains.
  Object.values(TYPES).flatMap((types) =>
    types.map((type) => [type, (bytes: Buffer) => Promise.resolve(bytes as unknown as Value)]),
  ),
)

/** The bytes of a body that `READS` returned. */
export const bytesIn = (body: unknown): Uint8Array => (Buffer.isBuffer(body) ? body : new Uint8Array())

/** The parameter `format`. Throws 400. */
export function formatIn(query: URLSearchParams): ImportFormat {
  const given = query.get('format')
  const format = IMPORT_FORMATS.find((one) => one === given)
  if (format !== undefined) return format
  const found = given === null ? 'it is missing' : `found ${quote(given)}`
  throw invalidParameter('format', `must be one of ${IMPORT_FORMATS.map((one) => quote(one)).join(', ')}: ${found}`)
}

/** The parameters that only some formats have. Throws 400. */
export function optionsIn(query: URLSearchParams, format: ImportFormat): ImportOptions {
  for (const [parameter, only] of [
    ['decision', 'dmn'],
    ['repeat_input', 'jdm'],
  ] as const)
    if (query.has(parameter) && format !== only)
      throw invalidParameter(parameter, `has a meaning only with the format ${quote(only)}, found ${quote(format)}`)
  return { decision: query.get('decision') ?? undefined, repeatInput: truthOf(query, 'repeat_input') }
}

/** Throws 415 for a document with the content type of another format. */
export function requireType(format: ImportFormat, header: string | undefined): void {
  const [type = ''] = (header ?? '').split(';')
  const types = TYPES[format]
  if (types.includes(type.trim().toLowerCase())) return
  const message = `a document of the format ${quote(format)} is sent with \`content-type: ${types[0]}\``
  throw new HttpError('unsupported-media-type', message)
}
