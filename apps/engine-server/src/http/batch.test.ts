import { createUnreadBodies } from '@engine/http-server'
import type { Program } from '@engine/ruleset'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { Hops } from '../capabilities/hops.ts'
import type { ExecutionService } from '../services/execution.ts'
import { streamBatch } from './batch.ts'
import { NDJSON_LINES } from './line-form.ts'
import { lines } from './request-lines.ts'

test('a stream of blank lines does not block other requests', async () => {
  const chunk = Buffer.alloc(64 * 1024, '\n')
  const request = Object.assign(Readable.from(Array.from({ length: 100 }, () => chunk)), { headers: {} })
  const written: string[] = []
  const response = {
    writeHead: () => undefined,
    flushHeaders: () => undefined,
    write: (text: string) => written.push(text) > 0,
    end: () => undefined,
    destroyed: false,
  }
  let turns = 0
  let turn = setImmediate(function again() {
    turns++
    turn = setImmediate(again)
  })
  const limits = { maxBytes: 4096, unread: createUnreadBodies(1e6) }
  const incoming = request as unknown as IncomingMessage
  await streamBatch({} as ExecutionService, {} as Program, {
    request: incoming,
    response: response as unknown as ServerResponse,
    headers: {},
    options: { hops: Hops.of(undefined) },
    form: NDJSON_LINES,
    open: () => lines(incoming, limits),
    progress: () => undefined,
  })
  clearImmediate(turn)
  expect(written).toEqual([])
  expect(turns).toBeGreaterThan(1)
})
