import { expect, test } from 'vitest'
import { coalesceReads } from './read-coalescing.ts'

/** A store whose reads end when the test ends them. */
function slowStore() {
  const ends: ((fail?: Error) => void)[] = []
  const store = { value: 1, reads: 0 }
  const read = (key: string) => {
    store.reads++
    const seen = `${key}${store.value}`
    return new Promise<string>((resolve, reject) =>
      ends.push((fail) => {
        if (fail === undefined) resolve(seen)
        else reject(fail)
      }),
    )
  }
  const endNext = async (fail?: Error) => {
    ends.shift()?.(fail)
    await new Promise(setImmediate)
  }
  return { store, read, endNext }
}

test('calls during a read share one that begins after it, and see everything stored before them', async () => {
  const { store, read, endNext } = slowStore()
  const shared = coalesceReads(read, (key) => key)
  const first = shared('a')
  store.value = 2
  const second = shared('a')
  store.value = 3
  const third = shared('a')
  await endNext()
  await endNext()
  expect(await Promise.all([first, second, third])).toEqual(['a1', 'a3', 'a3'])
  expect(store.reads).toBe(2)
})

test('reads of other keys are not waited for, and a finished one is not reused', async () => {
  const { store, read, endNext } = slowStore()
  const shared = coalesceReads(read, (key) => key)
  const both = Promise.all([shared('a'), shared('b')])
  await endNext()
  await endNext()
  expect(await both).toEqual(['a1', 'b1'])
  store.value = 2
  const later = shared('a')
  await endNext()
  expect(await later).toBe('a2')
  expect(store.reads).toBe(3)
})

test('a failed read fails for its own callers only', async () => {
  const { read, endNext } = slowStore()
  const shared = coalesceReads(read, (key) => key)
  const first = shared('a')
  const second = shared('a')
  const failed = first.catch((error: unknown) => error)
  await endNext(new Error('away'))
  expect(await failed).toEqual(new Error('away'))
  await endNext()
  expect(await second).toBe('a1')
})
