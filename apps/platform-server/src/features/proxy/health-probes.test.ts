import { expect, test } from 'vitest'
import { createLiveness } from './health-probes.ts'

const engineOf = (id: string, generation = 1) => ({ id, generation, origin: 'http://a', peer: null })
const settled = () => new Promise((resolve) => setImmediate(resolve))

function livenessOf(isAlive: boolean) {
  const its = { isAlive, now: 0, probes: [] as string[] }
  const liveness = createLiveness(
    async ({ id }: { readonly id: string }) => {
      its.probes.push(id)
      return its.isAlive
    },
    () => its.now,
  )
  return { its, ...liveness }
}

test('an engine that fails its probe is out until it passes one, at most one a second', async () => {
  const { its, isOut, suspect } = livenessOf(false)
  const engine = engineOf('a')
  expect(isOut(engine)).toBe(false)
  suspect(engine)
  expect([isOut(engine), its.probes]).toEqual([false, ['a']])
  await settled()
  expect(isOut(engine)).toBe(true)
  suspect(engine)
  its.now = 999
  expect([isOut(engine), its.probes]).toEqual([true, ['a']])
  its.now = 1000
  expect([isOut(engine), isOut(engine), its.probes]).toEqual([true, true, ['a', 'a']])
  await settled()
  its.isAlive = true
  its.now = 1999
  expect([isOut(engine), its.probes.length]).toEqual([true, 2])
  its.now = 2000
  expect(isOut(engine)).toBe(true)
  await settled()
  its.now = 9000
  expect([isOut(engine), its.probes.length]).toEqual([false, 3])
})

test('an engine that passes its probe was never out', async () => {
  const { its, isOut, suspect } = livenessOf(true)
  suspect(engineOf('a'))
  await settled()
  expect([isOut(engineOf('a')), its.probes]).toEqual([false, ['a']])
})

test('another engine, and another registration of the same one, are not out with it', async () => {
  const { isOut, suspect } = livenessOf(false)
  suspect(engineOf('a'))
  await settled()
  expect([isOut(engineOf('a')), isOut(engineOf('b')), isOut(engineOf('a', 2))]).toEqual([true, false, false])
})

test('of more than 1,000 engines the one that was excluded first is forgotten', async () => {
  const { isOut, suspect } = livenessOf(false)
  for (let id = 0; id < 1001; id++) suspect(engineOf(String(id)))
  await settled()
  expect([isOut(engineOf('0')), isOut(engineOf('1')), isOut(engineOf('1000'))]).toEqual([false, true, true])
})
