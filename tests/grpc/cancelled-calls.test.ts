import { create, toBinary } from '@bufbuild/protobuf'
import { proto } from '@engine/api/proto'
import { status } from '@grpc/grpc-js'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { IS_FULL_RUN } from '../cases.testing.ts'
import { adultCheck } from '../http/server.testing.ts'
import { adult, connected, silence, waiting } from './connected-client.testing.ts'
import { framed } from './frames.testing.ts'
import { begin, sessionOf } from './raw-call.testing.ts'

/** Calls whose callers are gone must not take the place of others. */

const ROUNDS = IS_FULL_RUN ? 20 : 5
/** Calls that follow each other in each of the places. */
const IN_A_ROW = IS_FULL_RUN ? 25 : 5

test(`95 calls whose deadlines pass together, ${ROUNDS} times: none is refused`, async () => {
  const { server, client } = await connected()
  await server.post('/api/v1/rulesets', waiting((await silence()).url))
  const codes = new Map<number, number>()
  for (let round = 0; round < ROUNDS; round++) {
    const calls = Array.from({ length: 95 }, () =>
      client.call('Execute', { name: 'waits', input_json: '{}' }, { deadline: 60 }),
    )
    for (const reply of await Promise.all(calls)) {
      const code = 'code' in reply ? reply.code : status.OK
      codes.set(code, (codes.get(code) ?? 0) + 1)
    }
  }
  expect(Object.fromEntries(codes)).toEqual({ [status.DEADLINE_EXCEEDED]: 95 * ROUNDS })
}, 120_000)

test(`95 calls that are cancelled together, ${ROUNDS} times, during calls that are answered`, async () => {
  const { server, client } = await connected()
  await server.post('/api/v1/rulesets', waiting((await silence()).url))
  await server.post('/api/v1/rulesets', adultCheck())
  for (let round = 0; round < ROUNDS; round++) {
    const begun: { cancel(): void }[] = []
    const calls = Array.from({ length: 95 }, () =>
      client.call('Execute', { name: 'waits', input_json: '{}' }, { begun: (call) => begun.push(call) }),
    )
    expect(await client.call('Execute', adult)).toMatchObject({ message: { code: 'ADULT' } })
    for (const call of begun) call.cancel()
    for (const reply of await Promise.all(calls)) expect(reply).toMatchObject({ code: status.CANCELLED })
    expect(await client.call('Execute', adult)).toMatchObject({ message: { code: 'ADULT' } })
  }
}, 120_000)

test('400 calls at a time, each begun when another one has ended: none is refused', async () => {
  const { server } = await connected()
  await server.post('/api/v1/rulesets', adultCheck())
  const session = sessionOf(server.grpc)
  await once(session, 'remoteSettings')
  const message = create(proto.ExecuteRequestSchema, { name: adult.name, inputJson: adult.input_json })
  const body = framed(toBinary(proto.ExecuteRequestSchema, message))
  const codes = new Map<string, number>()
  await Promise.all(
    Array.from({ length: 400 }, async () => {
      for (let count = 0; count < IN_A_ROW; count++) {
        const { stream, ended } = begin(session, '/engine.EngineService/Execute')
        stream.end(body)
        const { code } = await ended
        const found = code === undefined ? `reset with ${stream.rstCode}` : String(code)
        codes.set(found, (codes.get(found) ?? 0) + 1)
      }
    }),
  )
  expect(Object.fromEntries(codes)).toEqual({ '0': 400 * IN_A_ROW })
}, 120_000)
