import { once } from 'node:events'
import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { describe, expect, test, vi } from 'vitest'
import { isShort, partsOf, wholeOf } from './buffered-body.ts'
import { AnswerReader } from './engine-answer.ts'

/** An answer over a mocked connection. */
function reading(leaving = new AbortController()) {
  const controller = { abort: vi.fn<(error: Error) => void>(), pause: vi.fn<() => void>(), resume: vi.fn<() => void>() }
  const given = controller as unknown as Dispatcher.DispatchController
  const reader = new AnswerReader(leaving.signal)
  const end = () => reader.onResponseEnd()
  const fail = (error: Error) => reader.onResponseError(given, error)
  return {
    reader,
    controller,
    leaving,
    start: () => reader.onRequestStart(given),
    head: (headers: Record<string, string> = {}, status = 200) => reader.onResponseStart(given, status, headers),
    data: (text: string) => reader.onResponseData(given, Buffer.from(text)),
    end,
    fail,
  }
}
const LENGTH = { 'content-length': '4' }

describe('a short answer', () => {
  test.each([
    ['one part', ['abcd']],
    ['parts', ['ab', 'cd']],
    ['none', []],
  ])('of %s is one buffer', async (_title, parts) => {
    const { reader, start, head, data, end } = reading()
    start()
    head(LENGTH, 201)
    for (const part of parts) data(part)
    end()
    const { statusCode, headers, body } = await reader.answer
    expect([statusCode, headers, body]).toEqual([201, LENGTH, Buffer.from(parts.join(''))])
  })

  test('follows informational ones', async () => {
    const { reader, start, head, data, end } = reading()
    start()
    head({ 'content-length': '9', link: 'x' }, 103)
    head(LENGTH, 200)
    data('abcd')
    end()
    expect(await reader.answer).toMatchObject({ statusCode: 200, headers: LENGTH })
  })

  test('that breaks off has the error, and its connection is left alone by a caller that leaves later', async () => {
    const { reader, start, head, data, fail, leaving, controller } = reading()
    start()
    head(LENGTH)
    data('ab')
    fail(new Error('reset'))
    await expect(reader.answer).rejects.toThrow('reset')
    leaving.abort()
    expect(controller.abort).not.toHaveBeenCalled()
  })

  test('that is complete is left alone as well', async () => {
    const { reader, start, head, end, leaving, controller } = reading()
    start()
    head(LENGTH)
    end()
    await reader.answer
    leaving.abort()
    expect(controller.abort).not.toHaveBeenCalled()
  })
})

describe('a caller that leaves', () => {
  test('ends the request', () => {
    const { reader, start, leaving, controller } = reading()
    expect(reader.isBegun).toBe(false)
    start()
    expect([reader.isBegun, controller.abort.mock.calls.length]).toEqual([true, 0])
    leaving.abort()
    expect(controller.abort).toHaveBeenCalledOnce()
  })

  test('before the request begins ends it when it does', () => {
    const leaving = new AbortController()
    leaving.abort()
    const { start, controller } = reading(leaving)
    start()
    expect(controller.abort).toHaveBeenCalledOnce()
  })
})

describe('a long answer', () => {
  const long = async () => {
    const its = reading()
    its.start()
    its.head({ etag: 'x' }, 206)
    const { statusCode, headers, body } = await its.reader.answer
    expect([statusCode, headers]).toEqual([206, { etag: 'x' }])
    return { ...its, body: body as Readable }
  }

  test('is read as it arrives, no faster than it is consumed', async () => {
    const { body, data, end, controller } = await long()
    data('x'.repeat(body.readableHighWaterMark - 1))
    expect(controller.pause).not.toHaveBeenCalled()
    data('yz')
    expect(controller.pause).toHaveBeenCalledOnce()
    let text = ''
    body.on('data', (part: Buffer) => (text += part.toString()))
    await vi.waitFor(() => expect(controller.resume).toHaveBeenCalled())
    end()
    await once(body, 'close')
    expect(text.endsWith('xyz')).toBe(true)
    expect(controller.abort).not.toHaveBeenCalled()
  })

  test('that breaks off ends with the error', async () => {
    const { body, data, fail } = await long()
    data('ab')
    const failed = once(body, 'error')
    fail(new Error('reset'))
    expect((await failed)[0]).toMatchObject({ message: 'reset' })
  })

  test('that is not consumed any more ends its connection', async () => {
    const { body, controller, leaving } = await long()
    body.destroy()
    await once(body, 'close')
    expect(controller.abort).toHaveBeenCalledOnce()
    leaving.abort()
    expect(controller.abort).toHaveBeenCalledOnce()
  })

  test('ends with its caller', async () => {
    const { leaving, controller } = await long()
    leaving.abort()
    expect(controller.abort).toHaveBeenCalledOnce()
  })
})

test.each<[length: string | readonly string[] | undefined, expected: boolean]>([
  ['0', true],
  ['65536', true],
  ['65537', false],
  ['many', false],
  [['4', '4'], false],
  [undefined, false],
])('a body of the stated length %j is short: %s', (length, expected) => {
  expect(isShort(length)).toBe(expected)
})

test('the bytes of a body are whole, or it has broken off', async () => {
  expect(await wholeOf(Readable.from([Buffer.from('ab'), Buffer.from('cd')]))).toEqual(Buffer.from('abcd'))
  expect(await wholeOf(Readable.from([Buffer.from('ab')]))).toEqual(Buffer.from('ab'))
  expect(await wholeOf(Readable.from([]))).toEqual(Buffer.alloc(0))
  const cut = new Readable({ read() {} })
  const whole = wholeOf(cut)
  cut.push(Buffer.from('ab'))
  cut.destroy()
  await expect(whole).rejects.toThrow('a body broke off')
  const broken = new Readable({ read() {} })
  const never = wholeOf(broken)
  broken.destroy(new Error('reset'))
  await expect(never).rejects.toThrow('reset')
})

test('a body that has arrived is its only part', async () => {
  expect([...(partsOf(Buffer.from('ab')) as Iterable<Buffer>)]).toEqual([Buffer.from('ab')])
})
