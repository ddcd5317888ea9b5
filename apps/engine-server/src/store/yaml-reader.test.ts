import { afterEach, expect, test } from 'vitest'
import { YamlReader } from './yaml-reader.ts'

const opened: YamlReader[] = []
afterEach(() => {
  for (const one of opened.splice(0)) one.end()
})

function reader(milliseconds = 60_000, megabytes = 256): YamlReader {
  const made = new YamlReader({ milliseconds, megabytes })
  opened.push(made)
  return made
}

const FINE = { json: '{"a":["x"]}' }
const read = (one: YamlReader, text: string, signal?: AbortSignal) => one.convert(Buffer.from(text), signal)
/** Takes the library seconds. */
const LONG = `a: [${'x, '.repeat(300_000)}x]`

test('reads one text after the other, including invalid ones', async () => {
  const one = reader()
  expect(await read(one, 'a: [x]')).toEqual(FINE)
  expect(await read(one, 'a: [')).toMatchObject({ reason: expect.stringContaining('at line 1') })
  expect(await read(one, 'a: [x]')).toEqual(FINE)
})

test('gives up a text that exceeds its time, each time', async () => {
  const one = reader(1)
  expect(await read(one, LONG)).toEqual({ reason: 'its YAML could not be read within 0.001 s' })
  // The thread that had it is gone, so that the memory of it is.
  expect(await read(one, LONG)).toEqual({ reason: 'its YAML could not be read within 0.001 s' })
})

test('gives up a text that exceeds its memory, and reads the next one', async () => {
  const one = reader(120_000, 24)
  const { reason } = (await read(one, LONG)) as { readonly reason: string }
  expect(reason).toBe('its YAML could not be read: more than 24 MB of memory are needed')
  expect(await read(one, 'a: [x]')).toEqual(FINE)
})

test('gives up a text whose request has ended, before and during reading', async () => {
  const one = reader()
  const over = new AbortController()
  const long = read(one, LONG, over.signal)
  over.abort()
  const given = { reason: 'its YAML was not read: the request is over' }
  expect(await long).toEqual(given)
  expect(await read(one, 'a: [x]', over.signal)).toEqual(given)
  expect(await read(one, 'a: [x]')).toEqual(FINE)
})
