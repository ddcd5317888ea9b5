import { expect, test } from 'vitest'
import { createCircuit } from './circuit.ts'

test('a target that failed five times in a row rests for ten seconds, then one call tries', () => {
  let now = 0
  const circuit = createCircuit(() => now)
  const fail = (times: number) => {
    for (let time = 0; time < times; time++) circuit.failed('a')
  }
  fail(4)
  expect(circuit.rest('a')).toBe(0)
  fail(1)
  expect([circuit.rest('a'), circuit.rest('b')]).toEqual([10_000, 0])
  expect([circuit.isResting('a'), circuit.isResting('b')]).toEqual([true, false])
  now = 10_000
  // Checking is not a trial call.
  expect([circuit.isResting('a'), circuit.isResting('a')]).toEqual([false, false])
  // The first call is the trial; others wait for its outcome.
  expect([circuit.rest('a'), circuit.rest('a')]).toEqual([0, 10_000])
  expect(circuit.isResting('a')).toBe(true)
  circuit.succeeded('a')
  expect(circuit.rest('a')).toBe(0)
  fail(4)
  expect(circuit.rest('a')).toBe(0)
})

test('the oldest failures are dropped before memory grows', () => {
  const circuit = createCircuit(() => 0)
  for (let time = 0; time < 5; time++) circuit.failed('first')
  expect(circuit.rest('first')).toBeGreaterThan(0)
  for (let target = 0; target < 1000; target++) circuit.failed(String(target))
  expect(circuit.rest('first')).toBe(0)
})

test('targets rest independently of each other', () => {
  const circuit = createCircuit(() => 0)
  for (let time = 0; time < 5; time++) for (const target of ['a', 'b']) circuit.failed(target)
  circuit.succeeded('b')
  expect(['a', 'b'].map((target) => circuit.isResting(target))).toEqual([true, false])
})
