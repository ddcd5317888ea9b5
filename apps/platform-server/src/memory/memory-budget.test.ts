import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asRequest, MemoryBudget, requestMemory } from './memory-budget.ts'
import { SharedBytes } from './shared-bytes.ts'

const MIB = 1024 * 1024
const refused = expect.objectContaining({ code: 'overloaded', retryAfterSeconds: 1 })

function requestOf(budget: MemoryBudget, organization: string) {
  const memory = budget.request()
  memory.belongTo(organization)
  return memory
}

test('an organization holds half of the budget, and others the rest', () => {
  const budget = new MemoryBudget(100 * MIB)
  const [first, second] = [requestOf(budget, 'a'), requestOf(budget, 'a')]
  first.hold(30 * MIB)
  expect(() => second.hold(30 * MIB)).toThrow(refused)
  second.hold(20 * MIB)
  const other = requestOf(budget, 'b')
  other.hold(50 * MIB)
  expect(() => requestOf(budget, 'c').hold(MIB)).toThrow(refused)
  first.release()
  first.release()
  requestOf(budget, 'c').hold(30 * MIB)
  expect(() => requestOf(budget, 'd').hold(MIB)).toThrow(refused)
})

test('the largest phase of a request counts, and one that exceeds the budget gets the share of its organization', () => {
  const budget = new MemoryBudget(100 * MIB)
  const large = requestOf(budget, 'a')
  for (const megabytes of [10, 40, 20, 1000]) large.hold(megabytes * MIB)
  expect(() => requestOf(budget, 'a').hold(MIB)).toThrow(refused)
  requestOf(budget, 'b').hold(50 * MIB)
  large.release()
  requestOf(budget, 'a').hold(50 * MIB)
})

test('small values are not counted, and an ended request holds nothing', () => {
  const budget = new MemoryBudget(10 * MIB)
  requestOf(budget, 'a').hold(5 * MIB)
  requestOf(budget, 'a').hold(1000)
  const gone = requestOf(budget, 'b')
  gone.release()
  gone.hold(5 * MIB)
  requestOf(budget, 'b').hold(5 * MIB)
})

test('memory held before the organization is known is charged to it later', () => {
  const budget = new MemoryBudget(10 * MIB)
  const memory = budget.request()
  memory.hold(5 * MIB)
  memory.belongTo('a')
  expect(() => requestOf(budget, 'a').hold(MIB)).toThrow(refused)
  budget.request().hold(5 * MIB)
})

test('work of a request finds its memory, also later', async () => {
  const memory = new MemoryBudget().request()
  const later = await asRequest(memory, async () => {
    await new Promise((resolve) => setImmediate(resolve))
    return requestMemory()
  })
  expect([later, requestMemory()]).toEqual([memory, undefined])
})

test('for any sequence of requests no share and no total is exceeded, and nothing is lost', () => {
  const step = fc.record({ organization: fc.constantFrom('a', 'b', 'c'), bytes: fc.nat(60) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const shared = new SharedBytes(100)
      const taken = steps.filter(({ organization, bytes }) => shared.take(organization, bytes))
      const sum = (of: typeof taken) => of.reduce((total, { bytes }) => total + bytes, 0)
      expect(sum(taken)).toBeLessThanOrEqual(100)
      for (const name of ['a', 'b', 'c'])
        expect(sum(taken.filter(({ organization }) => organization === name))).toBeLessThanOrEqual(50)
      for (const { organization, bytes } of taken) shared.give(organization, bytes)
      expect([shared.take('a', 50), shared.take('b', 50), shared.take('c', 1)]).toEqual([true, true, false])
    }),
  )
})
