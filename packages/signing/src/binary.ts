import { isObject, type ParsedJson, parseJson, stringifyJson } from '@engine/expression'
import type { RulesetDocument } from '@engine/ruleset'
import { isUtf8 } from 'node:buffer'
// Node.js before 22.15 has no zstd: the names are looked up when they are used, so that the module loads there.
import * as zlib from 'node:zlib'
import { bytesOf, KEY_BYTES } from './keys.ts'
import {
  embedded,
  type Signature,
  SIGNATURE_BYTES,
  SIGNATURE_FIELD,
  signatureOf,
  withoutSignature,
} from './signature.ts'

/**
 * The compiled binary of specification 8, all integers little-endian:
 *
 * | offset | bytes | field |
 * |---|---|---|
 * | 0 | 4 | tag `ENGR` |
 * | 4 | 1 | version, 1 |
 * | 5 | 1 | flags: bit 0 `HAS_SIGNATURE`, the others 0 |
 * | 6 | 4 | CRC32 (IEEE 802.3) of the payload as it stands in the file |
 * | 10 | 4 | length of the payload in the file |
 * | 14 | 96 | only with `HAS_SIGNATURE`: public key (32), signature (64) |
 * | | | payload: one zstd frame (RFC 8878) with the JSON of the ruleset without `_signature`, UTF-8 |
 *
 * The signature is the one of `sign.ts`, over the canonical JSON: it survives every change of form, and changing any
 * bit of the file invalidates the layout, the checksum or the signature. The checksum detects accidental corruption,
 * not attacks.
 */
const TAG = Buffer.from('ENGR', 'latin1')
const VERSION = 1
const HAS_SIGNATURE = 1
const AT = { version: 4, flags: 5, checksum: 6, length: 10, signature: 14 } as const

/** Maximum uncompressed size of the JSON payload in bytes. */
const MAX_JSON_BYTES = 64 * 1024 * 1024
/** 2^26 bytes: a frame may not request more memory than the largest content needs. */
const MAX_WINDOW_LOG = 26

/** Bytes are not a compiled ruleset. The message contains the reason. */
export class BadBinary extends Error {
  override readonly name = 'BadBinary'
}

/**
 * True if bytes start like a compiled ruleset; otherwise they may be JSON or YAML.
 *
 * @internal
 */
export function isBinary(bytes: Uint8Array): boolean {
  return TAG.equals(bytes.subarray(0, TAG.length))
}

/**
 * The compiled form of a document; an embedded signature moves to the header. Throws `MalformedSignature`, `BadBinary`.
 */
export function encodeBinary(document: RulesetDocument): Buffer {
  const signature = signatureOf(document)
  const json = Buffer.from(stringifyJson(withoutSignature(document)))
  if (json.length > MAX_JSON_BYTES) throw new BadBinary(`the ruleset is larger than ${MAX_JSON_BYTES} bytes`)
  const payload = zlib.zstdCompressSync(json)
  const header = Buffer.alloc(AT.signature)
  TAG.copy(header)
  header[AT.version] = VERSION
  header[AT.flags] = signature === undefined ? 0 : HAS_SIGNATURE
  header.writeUInt32LE(zlib.crc32(payload), AT.checksum)
  header.writeUInt32LE(payload.length, AT.length)
  return Buffer.concat([header, ...(signature === undefined ? [] : signatureBlock(signature)), payload])
}

function signatureBlock({ public_key, signature }: Signature): readonly Buffer[] {
  const key = bytesOf(public_key)
  if (key?.length !== KEY_BYTES) throw new BadBinary(`its public key is not base64 of ${KEY_BYTES} bytes`)
  const bytes = bytesOf(signature)
  if (bytes?.length !== SIGNATURE_BYTES) throw new BadBinary(`its signature is not base64 of ${SIGNATURE_BYTES} bytes`)
  return [key, bytes]
}

/** The document of a compiled form, with the signature from its header embedded as `_signature`. Throws `BadBinary`. */
export function decodeBinary(bytes: Uint8Array): RulesetDocument {
  const { text, documentOf } = unfoldBinary(bytes)
  return documentOf(parseJson(text, { duplicateKeys: 'refuse', numbers: 'document' }))
}

/** A decompressed binary whose JSON is not parsed yet: it may be much longer than the file. */
export interface UnfoldedBinary {
  readonly text: string
  /** The document from its parsed text, in which duplicate keys must have been rejected. Throws `BadBinary`. */
  readonly documentOf: (parsed: ParsedJson) => RulesetDocument
}

/**
 * Decompresses the JSON in a compiled form. Throws `BadBinary`.
 *
 * @param most maximum size of the decompressed JSON in bytes
 */
export function unfoldBinary(bytes: Uint8Array, most: number = MAX_JSON_BYTES): UnfoldedBinary {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const { signature, payload } = layoutOf(file)
  return {
    text: unfold(payload, Math.min(most, MAX_JSON_BYTES)),
    documentOf: (parsed) => documentIn(parsed, signature),
  }
}

function documentIn(parsed: ParsedJson, signature: Signature | undefined): RulesetDocument {
  if (parsed.kind === 'failed') throw new BadBinary(`its payload is not JSON: ${parsed.problem.message}`)
  const { value: document } = parsed
  if (!isObject(document)) throw new BadBinary('its payload is not a JSON object')
  if (Object.hasOwn(document, SIGNATURE_FIELD))
    throw new BadBinary('its payload contains a `_signature`, which belongs in the header')
  return signature === undefined ? document : embedded(document, signature)
}

function layoutOf(file: Buffer): { signature: Signature | undefined; payload: Buffer } {
  if (!isBinary(file)) throw new BadBinary('it does not start with the tag `ENGR` of a compiled ruleset')
  if (file.length < AT.signature) throw new BadBinary(`it ends within its header, after ${file.length} bytes`)
  const version = file.readUInt8(AT.version)
  if (version !== VERSION) throw new BadBinary(`its format version is ${version}, and this program reads ${VERSION}`)
  const flags = file.readUInt8(AT.flags)
  if ((flags & ~HAS_SIGNATURE) !== 0) throw new BadBinary(`it has flags (${flags}) that this program does not know`)
  const start = AT.signature + (flags === 0 ? 0 : KEY_BYTES + SIGNATURE_BYTES)
  const length = file.readUInt32LE(AT.length)
  if (file.length !== start + length)
    throw new BadBinary(`its header declares ${start + length} bytes, but it has ${file.length}`)
  const payload = file.subarray(start)
  if (zlib.crc32(payload) !== file.readUInt32LE(AT.checksum))
    throw new BadBinary('its checksum does not match its payload')
  if (flags === 0) return { signature: undefined, payload }
  const key = file.subarray(AT.signature, AT.signature + KEY_BYTES)
  const signature = file.subarray(AT.signature + KEY_BYTES, start)
  return { signature: { public_key: key.toString('base64'), signature: signature.toString('base64') }, payload }
}

function unfold(payload: Buffer, most: number): string {
  const json = decompressed(payload, most)
  if (!isUtf8(json)) throw new BadBinary('its payload is not valid UTF-8')
  return json.toString('utf8')
}

function decompressed(payload: Buffer, most: number): Buffer {
  const { buffer, engine } = unpacked(payload, most)
  if (engine.bytesWritten !== payload.length) throw new BadBinary('its payload has data after its zstd frame')
  return buffer
}

/** Result of `info`, missing in Node's types: `bytesWritten` is the input consumed. */
interface Unpacked {
  readonly buffer: Buffer
  readonly engine: { readonly bytesWritten: number }
}

function unpacked(payload: Buffer, most: number): Unpacked {
  if (!('zstdDecompressSync' in zlib))
    throw new BadBinary('it is compressed by zstd, which needs Node.js 22.15 or later')
  try {
    return zlib.zstdDecompressSync(payload, {
      info: true,
      maxOutputLength: most,
      params: { [zlib.constants.ZSTD_d_windowLogMax]: MAX_WINDOW_LOG },
    }) as unknown as Unpacked
  } catch (cause) {
    const isTooLarge = cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE'
    const reason = isTooLarge ? `its payload expands to more than ${most} bytes` : 'its payload is not valid zstd'
    throw new BadBinary(reason, { cause })
  }
}
