import { create, fromBinary } from '@bufbuild/protobuf'
import { proto } from '@engine/api/proto'

/** Tags of the fields of `ExecuteRequest`: number and wire type. */
const NAME = (1 << 3) | 2
const INPUT = (2 << 3) | 2
const TRACE = (3 << 3) | 0
const RECEIPT = (5 << 3) | 0

/**
 * Reads an `ExecuteRequest`, in a fifth of the time of the general decoder. Valid forms that no client sends (unknown
 * fields, repeated ones, lengths of 2 MiB or more, bytes that are not UTF-8) are left to the general decoder.
 */
export function readExecute(bytes: Buffer): proto.ExecuteRequest {
  let name = ''
  let inputJson = ''
  let trace: boolean | undefined
  let receipt = false
  let last = 0
  let at = 0
  while (at < bytes.length) {
    const tag = bytes[at++] ?? 0
    let length = bytes[at++] ?? 0
    if (length > 127) length = (length & 127) | ((bytes[at++] ?? 0) << 7)
    if (length > 16_383) length = (length & 16_383) | ((bytes[at++] ?? 0) << 14)
    if (tag <= last || length >= 2 ** 21) return fromBinary(proto.ExecuteRequestSchema, bytes)
    last = tag
    if (tag === TRACE && length <= 1) trace = length === 1
    else if (tag === RECEIPT && length <= 1) receipt = length === 1
    else {
      const end = at + length
      const text = end <= bytes.length ? bytes.toString('utf8', at, end) : REPLACED
      if (text.includes(REPLACED)) return fromBinary(proto.ExecuteRequestSchema, bytes)
      if (tag === NAME) name = text
      else if (tag === INPUT) inputJson = text
      else return fromBinary(proto.ExecuteRequestSchema, bytes)
      at = end
    }
  }
  if (at !== bytes.length) return fromBinary(proto.ExecuteRequestSchema, bytes)
  return trace === undefined
    ? create(proto.ExecuteRequestSchema, { name, inputJson, receipt })
    : create(proto.ExecuteRequestSchema, { name, inputJson, trace, receipt })
}

/** The replacement character for invalid UTF-8. */
const REPLACED = '\uFFFD'
