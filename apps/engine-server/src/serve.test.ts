import { EventEmitter, once } from 'node:events'
import { expect, test } from 'vitest'
import { serve, type Engine } from './serve.ts'
import { StartError } from './start-error.ts'
import { memoryLog } from './telemetry/log.testing.ts'

const started = {
  version: '1.2.3',
  url: 'http://127.0.0.1:4711',
  grpc: undefined,
  socket: undefined,
  rulesets: ['a'],
  rulesDirectory: undefined,
  tokens: false,
}

/** A process that only remembers. `exited` resolves with the first exit code. */
function surroundings(compose: () => Promise<Engine>, showsText = true) {
  const { log, lines } = memoryLog()
  const events = new EventEmitter()
  const output = { printed: '', complained: '' }
  const exited = once(events, 'exit').then(([code]: unknown[]) => code)
  const served = serve(
    compose,
    { shutdownTimeoutMs: 1000, showsText, log },
    {
      signals: events,
      print: (text) => (output.printed += text),
      complain: (text) => (output.complained += text),
      exit: (code) => events.emit('exit', code),
    },
  )
  const messages = () => lines.map(([level, , message]) => `${level} ${message}`)
  return { events, output, exited, served, messages }
}

const engine = (parts: Partial<Engine> = {}): (() => Promise<Engine>) => {
  return () => Promise.resolve({ listen: () => Promise.resolve(started), shutdown: [], ...parts })
}

test('it listens, says so, and ends with 0 after a signal and the steps of the shutdown', async () => {
  const done: string[] = []
  const step = (name: string) => ({ name, share: 1, run: () => Promise.resolve(void done.push(name)) })
  const { events, output, exited, messages } = surroundings(engine({ shutdown: [step('http'), step('store')] }))
  await expect.poll(() => output.printed).toContain('listens on http://127.0.0.1:4711')
  expect(messages()).toEqual(['info listening'])
  events.emit('SIGTERM')
  expect(await exited).toBe(0)
  expect(done).toEqual(['http', 'store'])
  expect(messages()).toEqual(['info listening', 'info stopping', 'info stopped'])
})

test('the text for people can be left out', async () => {
  const { events, output, exited } = surroundings(engine(), false)
  events.emit('SIGTERM')
  expect(await exited).toBe(0)
  expect(output.printed).toBe('')
})

test('a signal during the start is not lost', async () => {
  const slow = Promise.withResolvers<void>()
  const { events, exited } = surroundings(async () => {
    await slow.promise
    return engine()()
  })
  events.emit('SIGTERM')
  slow.resolve()
  expect(await exited).toBe(0)
})

test('a second signal ends at once', async () => {
  const hanging = { name: 'http', share: 1, run: () => new Promise<void>(() => {}) }
  const { events, exited, messages } = surroundings(engine({ shutdown: [hanging] }))
  events.emit('SIGINT')
  await expect.poll(messages).toContain('info stopping')
  events.emit('SIGINT')
  expect(await exited).toBe(130)
})

test.each([
  ['composing', () => Promise.reject(new StartError('--rules-dir: cannot use `r`: permission denied'))],
  [
    'listening',
    engine({ listen: () => Promise.reject(new StartError('--rules-dir: cannot use `r`: permission denied')) }),
  ],
])('what fails in %s is one line and exit code 1', async (_, compose) => {
  const { output, exited, messages } = surroundings(compose)
  expect(await exited).toBe(1)
  expect(output).toEqual({ printed: '', complained: 'error: --rules-dir: cannot use `r`: permission denied\n' })
  expect(messages()).toEqual([])
})

test('a defect at the start is logged with its stack, and exit code 1', async () => {
  const { output, exited, messages } = surroundings(() => Promise.reject(new TypeError('x is not a function')))
  expect(await exited).toBe(1)
  expect(output.complained).toBe('')
  expect(messages()).toEqual(['fatal the server could not start'])
})
