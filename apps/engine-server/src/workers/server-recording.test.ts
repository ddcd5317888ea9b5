import type { RecordingRule } from '@engine/api'
import { expect, test } from 'vitest'
import { createSamples, type Sample } from '../platform/samples.ts'
import type { Question } from './messages.ts'
import { createServerRecording } from './server-recording.ts'

const RULE: RecordingRule = { tenant: null, name: 'loan', rate: 50, mask: [] }

/** The decisions of a worker with their own numbers, as its answer. */
function answerOf(...names: readonly string[]): string {
  const samples = createSamples()
  for (const name of names) samples.add({ name } as Sample, 1000)
  return JSON.stringify(samples.take())
}

test('workers are told the rules, and a worker that starts later begins with them', async () => {
  const told: Question[] = []
  const pool = { tell: async (question: Question) => void told.push(question), ask: async () => {} }
  const recording = createServerRecording(pool, createSamples())
  expect(recording.rules).toEqual([])
  await recording.follow([RULE])
  expect([recording.rules, told]).toEqual([[RULE], [{ kind: 'recording', rules: [RULE] }]])
})

test('decisions of all workers are numbered anew, and keep their sizes', async () => {
  const samples = createSamples()
  const pool = {
    tell: async () => {},
    async ask({ kind }: Question, _milliseconds: number, heard: (worker: number, text: string) => void) {
      expect(kind).toBe('decisions')
      heard(1, answerOf('a', 'b'))
      heard(2, answerOf('c'))
    },
  }
  await createServerRecording(pool, samples).collect()
  expect(samples.take()).toEqual(
    ['a', 'b', 'c'].map((name, index) => ({ sample: { seq: index + 1, name }, size: 1000 })),
  )
})
