import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Readable } from 'node:stream'
import type { PlainRequest, WholeAnswer } from '@engine/http-server'
import { expect, test, vi } from 'vitest'
import { httpExchange, plainExchange } from './exchange.ts'

/** Sends a request to a server with this handler, and returns the text of its answer. */
async function exchanged(
  handle: (raw: IncomingMessage, response: ServerResponse) => Promise<void>,
  body = 'input',
): Promise<string> {
  const handled = Promise.withResolvers<void>()
  const server = createServer((raw, response) => void handle(raw, response).then(handled.resolve, handled.reject))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  let text = ''
  socket.on('data', (part: Buffer) => (text += part.toString('latin1')))
  socket.write(`POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
  await Promise.all([handled.promise, once(socket, 'close')])
  server.close()
  await once(server, 'close')
  return text
}

test('a body is passed on with its parts, and an answer with its bytes', async () => {
  const parts: string[] = []
  const progress = vi.fn<() => void>()
  const text = await exchanged(async (raw, response) => {
    const exchange = httpExchange(raw, response, 1000, progress)
    const body = await exchange.body((part) => void parts.push(part.toString()))
    expect(body?.refusal).toBeUndefined()
    expect(await exchange.pass(201, { 'x-a': 'b' }, Buffer.from([0xe9, 0x00, 0xff]))).toBe(true)
    exchange.end()
    expect(exchange.leaving.aborted).toBe(false)
  })
  expect(parts.join('')).toBe('input')
  expect(progress).toHaveBeenCalled()
  expect(text).toMatch(/^HTTP\/1\.1 201 Created\r\nx-a: b\r\n/)
  expect(text).toContain('\u00e9\u0000\u00ff')
})

test('a stream is passed on with progress', async () => {
  const progress = vi.fn<() => void>()
  const text = await exchanged(async (raw, response) => {
    const exchange = httpExchange(raw, response, 1000, progress)
    const content = Readable.from([Buffer.from('one'), Buffer.from('two')])
    expect(await exchange.pass(200, { 'content-length': '6' }, content)).toBe(true)
  })
  expect(text.endsWith('\r\n\r\nonetwo')).toBe(true)
  expect(progress).toHaveBeenCalledTimes(2)
})

test('a stream that breaks off breaks the connection', async () => {
  const text = await exchanged(async (raw, response) => {
    const exchange = httpExchange(raw, response, 1000, () => {})
    const content = new Readable({ read() {} })
    const passed = exchange.pass(200, {}, content)
    content.push(Buffer.from('part'))
    setImmediate(() => content.destroy(new Error('reset')))
    expect(await passed).toBe(false)
  })
  expect(text).not.toContain('0\r\n\r\n')
})

test('a caller that leaves aborts its request, and not after the end', async () => {
  for (const isEnded of [false, true])
    await exchanged(async (raw, response) => {
      const exchange = httpExchange(raw, response, 1000, () => {})
      if (isEnded) exchange.end()
      const closed = once(response, 'close')
      raw.socket.destroy()
      await closed
      expect(exchange.leaving.aborted).toBe(!isEnded)
    })
})

test('in the fast lane the body has arrived, and the connection writes the answer', async () => {
  const answers: WholeAnswer[] = []
  const request = { body: Buffer.from('input') } as unknown as PlainRequest
  const exchange = plainExchange(request, (answer) => void answers.push(answer))
  const parts: string[] = []
  const body = await exchange.body((part) => void parts.push(part.toString()))
  expect([parts, body?.isReplayable, body?.refusal, exchange.leaving]).toEqual([['input'], true, undefined, request])
  const content = Buffer.from('output')
  expect(exchange.pass(200, { a: 'b' }, content)).toBe(true)
  const whole = Readable.from([Buffer.from('a')])
  const passed = exchange.pass(200, {}, whole)
  whole.resume()
  expect(await passed).toBe(true)
  const cut = new Readable({ read() {} })
  const broken = exchange.pass(200, {}, cut)
  cut.destroy()
  expect(await broken).toBe(false)
  expect(answers.map((answer) => answer.content)).toEqual([content, whole, cut])
  expect(answers[0]).toEqual({ status: 200, headers: { a: 'b' }, content })
})
