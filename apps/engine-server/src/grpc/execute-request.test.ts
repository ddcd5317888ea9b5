import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { proto } from '@engine/api/proto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readExecute } from './execute-request.ts'

/** The result of decoding bytes: a message, or a rejection. */
function outcome(read: (bytes: Buffer) => proto.ExecuteRequest, bytes: Buffer): unknown {
  try {
    return read(bytes)
  } catch {
    return 'refused'
  }
}

const general = (bytes: Buffer) => fromBinary(proto.ExecuteRequestSchema, bytes)

test('reads every message as the general reader does', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.string({ unit: 'grapheme', maxLength: 40_000 }),
      fc.option(fc.boolean(), { nil: undefined }),
      fc.boolean(),
      (name, inputJson, trace, receipt) => {
        const fields = { name: name.toWellFormed(), inputJson: inputJson.toWellFormed(), receipt }
        const message = create(proto.ExecuteRequestSchema, trace === undefined ? fields : { ...fields, trace })
        const bytes = Buffer.from(toBinary(proto.ExecuteRequestSchema, message))
        expect(readExecute(bytes)).toEqual(general(bytes))
      },
    ),
  )
})

test('and any other input', () => {
  const small = fc.uint8Array({ maxLength: 12 })
  const likely = fc.array(fc.constantFrom(0, 1, 2, 8, 10, 18, 24, 26, 32, 40, 0x61, 0x80, 0x81, 0xc3, 0xff), {
    maxLength: 12,
  })
  fc.assert(
    fc.property(fc.oneof(small, likely), (content) => {
      const bytes = Buffer.from(content)
      expect(outcome(readExecute, bytes)).toEqual(outcome(general, bytes))
    }),
    { numRuns: 5000 },
  )
})
