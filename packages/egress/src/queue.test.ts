import { expect, test } from 'vitest'
import { createCallQueue } from './queue.ts'

const LIMITS = { running: 2, waiting: 2, total: 5 }
const never = () => new AbortController().signal

/** Records which turns have begun. */
function observed() {
  const queue = createCallQueue(LIMITS)
  const begun: string[] = []
  const take = (name: string, target = 'a', signal = never()) => {
    const turn = queue.turn(target, signal)
    turn.then(
      (done) => done !== undefined && begun.push(name),
      () => undefined,
    )
    return turn
  }
  return { begun, take }
}

test('slots are granted in the order of the requests', async () => {
  const { begun, take } = observed()
  const first = await take('1')
  await take('2')
  const third = take('3')
  void take('4')
  await expect(take('5')).rejects.toThrow('4 calls are waiting for a already')
  expect(begun).toEqual(['1', '2'])
  first?.()
  ;(await third)?.()
  await expect.poll(() => begun).toEqual(['1', '2', '3', '4'])
})

test('an abandoned one gives its place to others immediately', async () => {
  const { begun, take } = observed()
  const first = await take('1')
  await take('2')
  const gone = new AbortController()
  const third = take('3', 'a', gone.signal)
  void take('4')
  gone.abort()
  expect(await third).toBeUndefined()
  void take('5')
  first?.()
  await expect.poll(() => begun).toEqual(['1', '2', '4'])
  // Too late to cancel: it already had its turn.
  expect(await take('6', 'b', AbortSignal.abort())).toBeUndefined()
})

test('all targets together have a limit, and finished calls do not count', async () => {
  const { take } = observed()
  const turns = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((target) => take(target, target)))
  await expect(take('f', 'f')).rejects.toThrow('5 calls are under way already')
  turns[0]?.()
  expect(await take('f', 'f')).toBeTypeOf('function')
})

test('calls abandoned while waiting do not count towards the limit of all targets', async () => {
  const { begun, take } = observed()
  const first = await take('1')
  await take('2')
  for (let count = 0; count < 20; count++) {
    const gone = new AbortController()
    const turn = take('gone', 'a', gone.signal)
    gone.abort()
    expect(await turn).toBeUndefined()
  }
  await Promise.all([take('3', 'b'), take('4', 'b'), take('5', 'c')])
  await expect(take('6', 'd')).rejects.toThrow('5 calls are under way already')
  first?.()
  expect(await take('7', 'd')).toBeTypeOf('function')
  expect(begun).toEqual(['1', '2', '3', '4', '5', '7'])
})

test('one that has got its turn keeps it when its signal aborts', async () => {
  const { begun, take } = observed()
  const first = await take('1')
  await take('2')
  const late = new AbortController()
  const third = take('3', 'a', late.signal)
  first?.()
  expect(await third).toBeTypeOf('function')
  late.abort()
  const fourth = take('4')
  ;(await third)?.()
  await fourth
  expect(begun).toEqual(['1', '2', '3', '4'])
})
