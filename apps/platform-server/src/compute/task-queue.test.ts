import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Slot, TaskQueue, type TaskSize } from './task-queue.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/**
 * A task of a fake thread, which begins as soon as it has a slot and ends when the test ends it, or when it is
 * preempted.
 */
interface FakeTask {
  readonly name: string
  readonly size: TaskSize
  end(): Promise<void>
}

function queueOf(small: number, large: number, maxWaiting = 8) {
  const queue = new TaskQueue({ small, large }, maxWaiting)
  /** Running tasks, and the names of all started tasks in order, repeats included. */
  const running: FakeTask[] = []
  const begun: string[] = []
  const run = (name: string, slot: Slot) => {
    const remove = () => void running.splice(running.indexOf(task), 1)
    const task = {
      name,
      size: slot.size,
      async end() {
        remove()
        slot.leave()
        await settled()
      },
    }
    running.push(task)
    begun.push(name)
    slot.begun()
    void slot.preempted.then(async () => {
      remove()
      run(name, await slot.requeue())
    })
  }
  return {
    begun,
    named: (size: TaskSize) => running.filter((task) => task.size === size).map(({ name }) => name),
    async enter(name: string, organization: string, size: TaskSize = 'small') {
      run(name, await queue.enter(organization, size))
    },
    end: (name: string) => running.find((task) => task.name === name)?.end(),
  }
}

/** Lets resolved promises continue. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

async function pass(milliseconds: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(milliseconds)
  await settled()
}

test('no organization has more than half of the slots, and waiting ones are served in turn', async () => {
  const { enter, end, begun } = queueOf(3, 1)
  for (const name of ['a1', 'a2', 'a3', 'a4']) void enter(name, 'a')
  void enter('b1', 'b')
  void enter('c1', 'c')
  void enter('b2', 'b')
  await settled()
  expect(begun).toEqual(['a1', 'a2', 'b1'])
  for (const [ended, next] of [
    ['a1', 'c1'],
    ['a2', 'a3'],
    ['b1', 'b2'],
    ['c1', 'a4'],
  ] as const) {
    await end(ended)
    expect(begun.at(-1)).toBe(next)
  }
})

test('a waiting large task does not delay small ones of its organization', async () => {
  const { enter, end, begun } = queueOf(3, 1)
  void enter('large 1', 'a', 'large')
  void enter('large 2', 'a', 'large')
  void enter('large 3', 'b', 'large')
  void enter('small', 'a')
  await settled()
  expect(begun).toEqual(['large 1', 'small'])
  await end('large 1')
  expect(begun.slice(2)).toEqual(['large 3'])
  await end('large 3')
  expect(begun.slice(3)).toEqual(['large 2'])
})

describe('places to wait', () => {
  const refused = { code: 'too-many-requests' }

  test('an organization has half of them at most', async () => {
    const { enter } = queueOf(1, 0, 4)
    for (const organization of ['a', 'a', 'a']) void enter('', organization)
    await expect(enter('', 'a')).rejects.toMatchObject(refused)
  })

  test('where none is left, the organization with most of them gives one to an organization that has fewer', async () => {
    const { enter, end, begun, named } = queueOf(1, 0, 4)
    void enter('a1', 'a')
    const waiting = ['a2', 'a3', 'b1', 'b2'].map((name) => enter(name, name.charAt(0)))
    void enter('c1', 'c')
    await expect(waiting[1]).rejects.toMatchObject(refused)
    void enter('d1', 'd')
    await expect(waiting[3]).rejects.toMatchObject(refused)
    await expect(enter('e1', 'e')).rejects.toMatchObject(refused)
    for (let round = 0; round < 5; round++) await end(named('small')[0] ?? '')
    expect(begun).toEqual(['a1', 'b1', 'c1', 'd1', 'a2'])
  })
})

describe('a waiting small task', () => {
  /** As the threads of a platform. */
  const full = async (organizations: number) => {
    const queue = queueOf(3, 1, 64)
    for (let round = 0; round < 2; round++)
      for (let at = 0; at < organizations; at++) void queue.enter(`endless ${at}.${round}`, `busy ${at}`)
    await settled()
    return queue
  }

  test.each([2, 3, 4, 8, 20])(
    'waits for endless tasks of %i other organizations at most 100 ms',
    async (organizations) => {
      const { enter, end, begun } = await full(organizations)
      // Each of them had its first turn.
      await pass(2000)
      for (let round = 0; round < 5; round++) {
        void enter(`quick ${round}`, 'other')
        await pass(100)
        expect(begun).toContain(`quick ${round}`)
        await end(`quick ${round}`)
        await pass(7)
      }
    },
  )

  test.each([2, 10, 24])(
    'waits at most 250 ms where %i organizations begin at the same moment',
    async (organizations) => {
      const { enter, begun } = await full(organizations)
      void enter('quick', 'other')
      await pass(250)
      expect(begun).toContain('quick')
    },
  )

  test('gets the slot of the one that has run longest, which restarts among the large ones and stays there', async () => {
    const { enter, end, begun, named } = queueOf(3, 1)
    for (const name of ['a', 'b', 'c']) {
      void enter(name, name)
      await pass(20)
    }
    void enter('d', 'd')
    await settled()
    expect(named('small')).toEqual(['a', 'b', 'c'])
    await pass(40)
    expect([named('small'), named('large')]).toEqual([['b', 'c', 'd'], ['a']])
    await pass(1000)
    expect([named('small'), named('large')]).toEqual([['b', 'c', 'd'], ['a']])
    void enter('e', 'e')
    await settled()
    // What made room waits for the thread of large tasks.
    expect([named('small'), named('large')]).toEqual([['c', 'd', 'e'], ['a']])
    await end('a')
    expect([named('small'), named('large')]).toEqual([['c', 'd', 'e'], ['b']])
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'a', 'e', 'b'])
  })

  test('ends no other task while its organization has its half of the slots', async () => {
    const { enter, named } = queueOf(3, 1)
    for (const [name, organization] of [
      ['a1', 'a'],
      ['a2', 'a'],
      ['b1', 'b'],
      ['a3', 'a'],
    ] as const)
      void enter(name, organization)
    await pass(5000)
    expect([named('small'), named('large')]).toEqual([['a1', 'a2', 'b1'], []])
  })

  test('waits for another task to end where no thread for large tasks is free', async () => {
    const { enter, begun } = queueOf(1, 0)
    void enter('a', 'a')
    void enter('b', 'b')
    await pass(5000)
    expect(begun).toEqual(['a'])
  })
})
