import { createEgress } from '@engine/egress'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createSender } from './sender.ts'

async function receiver(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}

/** Sends a message. @param allowed whether loopback may be called */
async function sent(url: string, allowed: boolean, signal = new AbortController().signal) {
  const sender = createSender(createEgress('public', allowed ? [() => true] : [], '--webhook-allow'))
  onTestFinished(() => sender.close())
  return sender.send({ url, headers: { 'webhook-id': 'm' }, body: '{}' }, signal)
}

test('the status of an answer is the outcome', async () => {
  const url = await receiver((_request, response) => void response.writeHead(503).end('not now'))
  expect(await sent(url, true)).toEqual({ status: 503, reason: undefined })
})

test('a private address that a URL names is not called', async () => {
  let count = 0
  const url = await receiver((_request, response) => {
    count++
    response.end()
  })
  const outcome = await sent(url, false)
  expect([outcome?.status, outcome?.reason, count]).toEqual([null, expect.stringContaining('private address'), 0])
})

test('a receiver without an answer has ten seconds', async () => {
  const url = await receiver(() => {})
  const over = new AbortController()
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(over.signal)
  onTestFinished(() => timeout.mockRestore())
  const outcome = sent(url, true)
  expect(timeout.mock.calls).toEqual([[10_000]])
  over.abort()
  expect(await outcome).toEqual({ status: null, reason: 'no answer within 10000 ms' })
})

test('an attempt that this process gives up has no outcome', async () => {
  const url = await receiver(() => {})
  expect(await sent(url, true, AbortSignal.abort())).toBeUndefined()
})
