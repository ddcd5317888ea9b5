import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { proto } from '@engine/api/proto'
import { expect, test } from 'vitest'
import { RESPONSE } from './execution-message.ts'

const CONSTANT = Object.freeze({ code: 'ÄDULT', message: 'may order', output: Object.freeze({ limit: 100 }) })

test.each([0, 1, 127, 128, 300, 16_383, 16_384, 2 ** 31, 2 ** 32, 2 ** 53 - 1])(
  'a constant decision of %d microseconds reads as its message does',
  (microseconds) => {
    const bytes = RESPONSE.decided(CONSTANT, microseconds, 0)
    expect(Buffer.isBuffer(bytes)).toBe(true)
    const message = create(proto.ExecuteResponseSchema, {
      code: 'ÄDULT',
      message: 'may order',
      outputJson: '{"limit":100}',
      durationUs: BigInt(microseconds),
    })
    expect(fromBinary(proto.ExecuteResponseSchema, bytes as Buffer)).toEqual(
      fromBinary(proto.ExecuteResponseSchema, toBinary(proto.ExecuteResponseSchema, message)),
    )
  },
)
