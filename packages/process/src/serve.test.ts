import { EventEmitter, once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { memoryLog } from './log.testing.ts'
import { serve, type Service } from './serve.ts'
import { StartError } from './start-error.ts'

const started = { url: 'http://127.0.0.1:4711' }
type Shop = Service<typeof started>

/** A fake process. `exited` resolves with the first exit code, or with the signal that ended it. */
function surroundings(compose: () => Promise<Shop>, { showsText = true, orphaned = new Promise<void>(() => {}) } = {}) {
  const { log, lines } = memoryLog()
  const events = new EventEmitter()
  const output = { printed: '', complained: '' }
  const watched: [what: string, milliseconds: number][] = []
  const exited = once(events, 'exit').then(([code]: unknown[]) => code)
  const served = serve(
    compose,
    {
      shutdownTimeoutMs: 1000,
      showsText,
      log,
      announce: ({ url }) => ({ fields: { url }, text: `shop listens on ${url}` }),
    },
    {
      signals: events,
      print: (text) => (output.printed += text),
      complain: (text) => (output.complained += text),
      exit: (code) => events.emit('exit', code),
      die: (signal) => events.emit('exit', signal),
      watchdog: { allow: (ms) => void watched.push(['allow', ms]), endWithin: (ms) => void watched.push(['end', ms]) },
      orphaned,
    },
  )
  const messages = () => lines.map(([level, , message]) => `${level} ${message}`)
  return { events, output, exited, served, messages, watched }
}

const shop = (parts: Partial<Shop> = {}): (() => Promise<Shop>) => {
  return () =>
    Promise.resolve({
      listen: () => Promise.resolve(started),
      reload: () => Promise.resolve([]),
      shutdown: [],
      ...parts,
    })
}

test('it listens, logs it, and exits with 0 after a signal and the steps of the shutdown', async () => {
  const done: string[] = []
  const step = (name: string) => ({ name, share: 1, run: () => Promise.resolve(void done.push(name)) })
  const { events, output, exited, messages } = surroundings(shop({ shutdown: [step('http'), step('store')] }))
  await expect.poll(() => output.printed).toContain('listens on http://127.0.0.1:4711')
  expect(messages()).toEqual(['info listening'])
  events.emit('SIGTERM')
  expect(await exited).toBe(0)
  expect(done).toEqual(['http', 'store'])
  expect(messages()).toEqual(['info listening', 'info stopping', 'info stopped'])
})

test('the text for people can be left out', async () => {
  const { events, output, exited, messages } = surroundings(shop(), { showsText: false })
  await expect.poll(messages).toContain('info listening')
  events.emit('SIGTERM')
  expect(await exited).toBe(0)
  expect(output.printed).toBe('')
})

test.each([
  ['composing', () => new Promise<Shop>(() => {})],
  ['listening', shop({ listen: () => new Promise(() => {}) })],
])('a signal while it is %s ends the start, which is not waited for', async (_, compose) => {
  const { events, exited, messages } = surroundings(compose)
  events.emit('SIGTERM')
  expect(await exited).toBe('SIGTERM')
  expect(messages()).toEqual(['info start aborted'])
})

test('messages of an aborted start are not printed', async () => {
  const slow = Promise.withResolvers<Shop>()
  const { events, exited, output, messages } = surroundings(() => slow.promise)
  events.emit('SIGINT')
  slow.reject(new StartError('too late'))
  expect(await exited).toBe('SIGINT')
  expect(output.complained).toBe('')
  expect(messages()).toEqual(['info start aborted'])
})

test('the watchdog knows the time limit of the shutdown from the start, and its deadline when the shutdown begins', async () => {
  const { events, output, exited, watched } = surroundings(shop())
  await expect.poll(() => output.printed).toContain('listens on')
  expect(watched).toEqual([['allow', 1000]])
  events.emit('SIGTERM')
  await exited
  expect(watched).toEqual([
    ['allow', 1000],
    ['end', 3000],
  ])
})

test('it ends as after a signal when the program that started it is gone', async () => {
  const gone = Promise.withResolvers<void>()
  const { output, exited, messages } = surroundings(shop(), { orphaned: gone.promise })
  await expect.poll(() => output.printed).toContain('listens on')
  gone.resolve()
  expect(await exited).toBe(0)
  expect(messages()).toEqual(['info listening', 'info stopping', 'info stopped'])
})

describe('SIGHUP', () => {
  test.each([
    ['reads files again', () => Promise.resolve(['--api-tokens-file']), 'info SIGHUP: files reloaded'],
    ['reports that there are none', () => Promise.resolve([]), 'info SIGHUP: no option names a file to reload'],
    [
      'explains why nothing changed',
      () => Promise.reject(new StartError('--api-tokens-file: it contains no token')),
      'error SIGHUP: reload failed, the previous files stay in effect',
    ],
  ])('%s, and ends nothing', async (_, reload, message) => {
    const { events, output, exited, messages } = surroundings(shop({ reload }))
    await expect.poll(() => output.printed).toContain('listens on')
    events.emit('SIGHUP')
    await expect.poll(messages).toContain(message)
    events.emit('SIGTERM')
    expect(await exited).toBe(0)
  })

  test('one after the other: the last reload is in effect', async () => {
    const order: string[] = []
    let calls = 0
    const reload = async () => {
      const call = ++calls
      order.push(`begin ${call}`)
      await new Promise((resolve) => setTimeout(resolve, call === 1 ? 20 : 0))
      order.push(`end ${call}`)
      return []
    }
    const { events, output } = surroundings(shop({ reload }))
    await expect.poll(() => output.printed).toContain('listens on')
    events.emit('SIGHUP')
    events.emit('SIGHUP')
    await expect.poll(() => order).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2'])
  })

  test('during the start ends nothing either', async () => {
    const slow = Promise.withResolvers<void>()
    const { events, output, messages } = surroundings(async () => {
      await slow.promise
      return shop()()
    })
    events.emit('SIGHUP')
    slow.resolve()
    await expect.poll(() => output.printed).toContain('listens on')
    expect(messages()).toContain('info SIGHUP: no option names a file to reload')
  })
})

test('a second signal ends the process immediately', async () => {
  const hanging = { name: 'http', share: 1, run: () => new Promise<void>(() => {}) }
  const { events, exited, messages } = surroundings(shop({ shutdown: [hanging] }))
  await expect.poll(messages).toContain('info listening')
  events.emit('SIGINT')
  await expect.poll(messages).toContain('info stopping')
  events.emit('SIGINT')
  expect(await exited).toBe(130)
})

const REASON = '--rules-dir: cannot use `r`: permission denied'

test.each<[when: string, code: 1 | 2, compose: () => Promise<Shop>]>([
  ['composing', 1, () => Promise.reject(new StartError(REASON))],
  ['listening', 1, shop({ listen: () => Promise.reject(new StartError(REASON)) })],
  ['reading a file that is invalid', 2, () => Promise.reject(new StartError(REASON, { exitCode: 2 }))],
])('a failure in %s is one line and exit code %i', async (_, code, compose) => {
  const { output, exited, messages } = surroundings(compose)
  expect(await exited).toBe(code)
  expect(output).toEqual({ printed: '', complained: 'error: --rules-dir: cannot use `r`: permission denied\n' })
  expect(messages()).toEqual([])
})

test('a defect at the start is logged with its stack, and exit code 1', async () => {
  const { output, exited, messages } = surroundings(() => Promise.reject(new TypeError('x is not a function')))
  expect(await exited).toBe(1)
  expect(output.complained).toBe('')
  expect(messages()).toEqual(['fatal the server could not start'])
})
