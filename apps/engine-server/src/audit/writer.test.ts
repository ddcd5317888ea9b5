import { expect, test } from 'vitest'
import { createAuditWriter } from './writer.ts'
import { memoryLog } from '../../../../packages/process/src/log.testing.ts'

/** A disk that can be full, and that can take its time. */
function opened() {
  const { log, lines } = memoryLog()
  const disk = {
    isFull: false,
    wait: Promise.resolve(),
    writes: [] as (readonly [text: string, isDurable: boolean])[],
  }
  const writer = createAuditWriter({
    log,
    lost: () => {},
    append: async (_path, text, isDurable) => {
      await disk.wait
      if (disk.isFull) throw new Error('ENOSPC')
      disk.writes.push([text, isDurable])
    },
  })
  return { writer, disk, logged: lines }
}

test('changes that arrive during a write share the next one', async () => {
  const { writer, disk } = opened()
  let go = () => {}
  disk.wait = new Promise((resolve) => (go = resolve))
  const first = writer.change('p', '1')
  await Promise.resolve()
  const others = Array.from({ length: 50 }, (_, index) => writer.change('p', `${index % 10}`))
  go()
  await Promise.all([first, ...others])
  expect(disk.writes.map(([text, isDurable]) => [text.length, isDurable])).toEqual([
    [1, true],
    [50, true],
  ])
})

test('a change waits for the disk, a sample does not; both keep their order', async () => {
  const { writer, disk } = opened()
  writer.sample('p', 'a')
  await writer.change('p', 'b')
  writer.sample('p', 'c')
  await writer.close()
  expect(disk.writes).toEqual([
    ['ab', true],
    ['c', false],
  ])
})

test('while the disk is full, samples are dropped and changes are kept', async () => {
  const { writer, disk, logged } = opened()
  disk.isFull = true
  writer.sample('p', 'a')
  await expect(writer.change('p', 'b')).rejects.toThrow('ENOSPC')
  expect(writer.dropped).toBe(1)
  await expect(writer.settled()).rejects.toThrow('ENOSPC')
  await expect(writer.settled()).rejects.toThrow('ENOSPC')
  disk.isFull = false
  const later = writer.change('p', 'c')
  await writer.settled()
  await later
  expect(disk.writes.map(([text]) => text).join('')).toBe('bc')
  expect([writer.dropped, logged.map(([level]) => level)]).toEqual([1, ['error', 'info']])
})

test('a change that is retried stays before one that arrived meanwhile', async () => {
  const { writer, disk } = opened()
  let go = () => {}
  disk.wait = new Promise((resolve) => (go = resolve))
  disk.isFull = true
  const first = writer.change('p', 'a')
  await Promise.resolve()
  const second = writer.change('p', 'b')
  go()
  await expect(first).rejects.toThrow('ENOSPC')
  disk.isFull = false
  await Promise.allSettled([second, writer.settled()])
  expect(disk.writes.map(([text]) => text).join('')).toBe('ab')
})

test('lines that wait or are written have 32 MiB together, and their room is free again', async () => {
  const { writer, disk } = opened()
  const line = 'x'.repeat(16 * 1024 * 1024)
  for (let round = 1; round <= 2; round++) {
    const written = [writer.change('p', line), writer.change('q', line)]
    writer.sample('p', 'x')
    await expect(writer.change('p', 'x')).rejects.toThrow('too much is waiting')
    expect(writer.dropped).toBe(2 * round)
    await Promise.all(written)
  }
  expect(disk.writes).toHaveLength(4)
})

test('a kept change is retried automatically', async () => {
  const { writer, disk } = opened()
  disk.isFull = true
  await expect(writer.change('p', 'b')).rejects.toThrow('ENOSPC')
  disk.isFull = false
  await expect.poll(() => disk.writes).toEqual([['b', true]])
})

test('a change that is still unwritten at shutdown is counted as lost', async () => {
  const { writer, disk } = opened()
  disk.isFull = true
  await expect(writer.change('p', 'b')).rejects.toThrow('ENOSPC')
  await writer.close()
  expect([writer.dropped, disk.writes]).toEqual([1, []])
})

test('an unwritable file does not delay another one', async () => {
  const { log } = memoryLog()
  const writer = createAuditWriter({
    log,
    lost: () => {},
    append: async (path) => {
      if (path === 'bad') throw new Error('EACCES')
    },
  })
  const bad = writer.change('bad', '1')
  const good = writer.change('good', '1')
  await expect(good).resolves.toBeUndefined()
  await expect(bad).rejects.toThrow('EACCES')
  await expect(writer.settled()).rejects.toThrow('EACCES')
  await writer.close()
})
