import { expect, test } from 'vitest'
import { createLog, type Severity } from './log.ts'

const parsed = (line: string): Record<string, unknown> => JSON.parse(line)

function logged(level: Severity) {
  const text: string[] = []
  const log = createLog({ level, service: 'engine-server', instance: 'i1' }, { write: (line) => void text.push(line) })
  return { log, lines: () => text.map(parsed), text }
}

test('a line is one JSON object with level, time, service, instance and message', () => {
  const { log, lines } = logged('info')
  log.info({ port: 8080 }, 'listening')
  expect(lines()).toEqual([
    {
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      service: 'engine-server',
      instance: 'i1',
      port: 8080,
      msg: 'listening',
    },
  ])
})

test('a line of a worker has its number', () => {
  const text: string[] = []
  const stream = { write: (line: string) => void text.push(line) }
  createLog({ level: 'info', service: 's', instance: 'i', worker: 2 }, stream).info({}, 'm')
  expect(parsed(text[0] ?? '')).toMatchObject({ service: 's', instance: 'i', worker: 2 })
})

test('a line break in a value does not begin a line', () => {
  const { log, text } = logged('info')
  log.info({ name: 'a\n{"level":"fatal"}' }, 'b\r\nc\u0000')
  expect(text).toHaveLength(1)
  expect(text[0]?.trimEnd()).not.toMatch(/[\r\n\0]/)
})

test('an error is written with its stack and its cause', () => {
  const { log, lines } = logged('info')
  log.error({ err: new Error('outer', { cause: new Error('inner') }) }, 'failed')
  expect(lines()[0]).toMatchObject({ err: { type: 'Error', stack: expect.stringContaining('inner') } })
})

test.each([
  ['error', ['error', 'fatal']],
  ['warn', ['warn', 'error', 'fatal']],
  ['info', ['info', 'warn', 'error', 'fatal']],
  ['debug', ['debug', 'info', 'warn', 'error', 'fatal']],
] as const)('at level %s these are written: %j', (level, expected) => {
  const { log, lines } = logged(level)
  for (const each of ['debug', 'info', 'warn', 'error', 'fatal'] as const) log[each]({}, 'x')
  expect(lines().map((line) => line['level'])).toEqual(expected)
})
