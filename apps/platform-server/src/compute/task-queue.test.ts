import { expect, test } from 'vitest'
import { TaskQueue, type TaskSize } from './task-queue.ts'

function queueOf(small: number, large: number, maxWaiting = 8) {
  const queue = new TaskQueue({ small, large }, maxWaiting)
  const begun: string[] = []
  return {
    begun,
    async enter(name: string, organization: string, size: TaskSize = 'small') {
      await queue.enter(organization, size)
      begun.push(name)
    },
    async leave(organization: string, size: TaskSize = 'small') {
      queue.leave(organization, size)
      await settled()
    },
  }
}

/** What was resolved has gone on. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

test('no organization has more than half of the slots, and those that wait are served in turn', async () => {
  const { enter, leave, begun } = queueOf(3, 1)
  for (const name of ['a1', 'a2', 'a3', 'a4']) void enter(name, 'a')
  void enter('b1', 'b')
  void enter('c1', 'c')
  void enter('b2', 'b')
  await settled()
  expect(begun).toEqual(['a1', 'a2', 'b1'])
  await leave('a')
  expect(begun.slice(3)).toEqual(['c1'])
  await leave('a')
  expect(begun.slice(4)).toEqual(['a3'])
  await leave('b')
  expect(begun.slice(5)).toEqual(['b2'])
  await leave('c')
  expect(begun.slice(6)).toEqual(['a4'])
})

test('a large task that waits does not hold up small ones of its organization', async () => {
  const { enter, leave, begun } = queueOf(3, 1)
  void enter('large 1', 'a', 'large')
  void enter('large 2', 'a', 'large')
  void enter('large 3', 'b', 'large')
  void enter('small', 'a')
  await settled()
  expect(begun).toEqual(['large 1', 'small'])
  await leave('a', 'large')
  expect(begun.slice(2)).toEqual(['large 3'])
  await leave('b', 'large')
  expect(begun.slice(3)).toEqual(['large 2'])
})

test('an organization waits in half of the places, and all of them in all', async () => {
  const { enter } = queueOf(1, 0, 4)
  const refused = { code: 'too-many-requests' }
  for (const organization of ['a', 'a', 'a', 'b', 'b']) void enter('', organization)
  await expect(enter('', 'a')).rejects.toMatchObject(refused)
  await expect(enter('', 'c')).rejects.toMatchObject(refused)
})
