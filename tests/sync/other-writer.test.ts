import { describe, expect, test } from 'vitest'
import {
  alike,
  broker,
  connected,
  envelope,
  folder,
  mark,
  put,
  rulePut,
  started,
  useNats,
} from './fleet-over-nats.testing.ts'
import { marked, until } from './fleet.testing.ts'

const nats = useNats()

const deleted = (name: string) => ({ type: 'RuleDeleted', tenant_id: 'default', name })
const SUBJECT = 'engine.rules.default'

/** A publisher that knows specification 6.1 and nothing of our headers. Resolves when the broker has it. */
async function otherWriter() {
  const there = await broker()
  return {
    put: (name: string, value: number) =>
      there.js.publish(`${SUBJECT}.${name}`, envelope(rulePut(name, `1.${value}.0`, value))),
    remove: (name: string) => there.js.publish(`${SUBJECT}.${name}`, envelope(deleted(name))),
    text: (subject: string, text: string) => there.js.publish(subject, text),
    [Symbol.asyncDispose]: () => there[Symbol.asyncDispose](),
  }
}

describe('envelopes without our headers', () => {
  test('are applied by readers in the order of the stream where no writer of ours is', async () => {
    await using there = await connected(nats().url)
    await there.manager.streams.add({ name: 'engine-rules', subjects: ['engine.rules.>'] })
    const readers = [await started('reader', 'r1'), await started('reader', 'r2')]
    await using other = await otherWriter()
    for (let value = 1; value <= 60; value++) await other.put(value % 2 === 0 ? 'a' : 'b', value)
    await other.remove('b')
    await other.put('c', 61)
    for (const reader of readers) {
      await until('the last one is applied', async () => (await mark(reader, 'c')) === 61)
      expect([await mark(reader, 'a'), await mark(reader, 'b')]).toEqual([60, 404])
    }
  }, 60_000)

  test('are taken over by a writer configured to do so, in the order of the stream, and the fleet converges', async () => {
    const args = ['--rules-dir', folder(), '--broker-other-writers']
    const writer = await started('writer', 'w', args)
    const readers = [await started('reader', 'r1', ['--rules-dir', folder()]), await started('reader', 'r2')]
    await put(writer, marked('a', '1.0.0', 1))
    await alike(writer, ...readers)
    await using other = await otherWriter()
    // Both writers write, and for each separate ruleset the last change counts.
    await Promise.all([
      (async () => {
        for (let value = 2; value <= 60; value++) await other.put(value % 2 === 0 ? 'a' : 'b', value)
        await other.put('gone', 1)
        await other.remove('gone')
        await other.put('c', 61)
      })(),
      (async () => {
        for (let value = 1; value <= 40; value++) await put(writer, marked('d', `1.${value}.0`, value))
      })(),
    ])
    await until('the writer has the last one', async () => (await mark(writer, 'c')) === 61)
    await alike(writer, ...readers)
    const marks = async (name: string) => Promise.all([writer, ...readers].map((one) => mark(one, name)))
    expect([await marks('a'), await marks('b'), await marks('d'), await marks('gone')]).toEqual([
      [60, 60, 60],
      [59, 59, 59],
      [40, 40, 40],
      [404, 404, 404],
    ])
    // After that the later change counts, of either writer.
    await put(writer, marked('a', '2.100.0', 100))
    await alike(writer, ...readers)
    expect(await marks('a')).toEqual([100, 100, 100])
    await other.put('a', 101)
    await until('the writer has it', async () => (await mark(writer, 'a')) === 101)
    await alike(writer, ...readers)
    expect(await marks('a')).toEqual([101, 101, 101])
  }, 90_000)

  test('that arrive while the writer is down are taken over when it is back, except those that cannot be', async () => {
    const args = ['--rules-dir', folder(), '--broker-other-writers']
    const writer = await started('writer', 'w', args)
    const reader = await started('reader', 'r1')
    await put(writer, marked('a', '1.0.0', 1))
    await alike(writer, reader)
    await until(
      'it follows other writers',
      () => writer.server?.stdout().includes('adopting changes of other writers') === true,
    )
    await writer.kill()
    await using other = await otherWriter()
    await other.put('a', 2)
    await other.text(`${SUBJECT}.b`, 'no JSON')
    await other.text(`${SUBJECT}.b`, envelope(rulePut('a', '1.3.0', 3)))
    await other.text(`${SUBJECT}.b`, envelope({ ...rulePut('b', '1.0.0', 1), version: '9.9.9' }))
    await other.text(`${SUBJECT}.b`, envelope({ ...rulePut('b', '1.0.0', 1), ruleset_json: '{}' }))
    await other.put('c', 4)
    await writer.start()
    await until('the writer has the last one', async () => (await mark(writer, 'c')) === 4)
    await alike(writer, reader)
    expect([await mark(reader, 'a'), await mark(reader, 'b'), await mark(reader, 'c')]).toEqual([2, 404, 4])
  }, 90_000)

  test('change nothing where the writer is not configured to take them over', async () => {
    const writer = await started('writer', 'w', ['--rules-dir', folder()])
    const reader = await started('reader', 'r1')
    await put(writer, marked('a', '1.0.0', 1))
    await alike(writer, reader)
    await using other = await otherWriter()
    await other.put('a', 2)
    await other.remove('a')
    await put(writer, marked('b', '1.0.0', 1))
    await until('what came after them is applied', async () => (await mark(reader, 'b')) === 1)
    expect([await mark(writer, 'a'), await mark(reader, 'a')]).toEqual([1, 1])
  }, 60_000)
})
