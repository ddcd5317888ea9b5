import { expect, test } from 'vitest'
import { reportedByWorkers } from './server-receipts.ts'

const chain = (number: number) => ({
  instance: `eu-1.w${number}/01990000-0000-7000-8000-000000000000`,
  opening: 'a',
  opened: null,
  latest: null,
  continued: true,
})

test.each<[title: string, answers: readonly string[], expected: object]>([
  ['nothing where no worker answers in time', [], { chains: [], kept: [] }],
  [
    'the chains of all workers in the order of their answers',
    [2, 1].map((number) => JSON.stringify({ chains: [chain(number)], kept: [`kept ${number}`] })),
    { chains: [chain(2), chain(1)], kept: ['kept 2', 'kept 1'] },
  ],
  [
    'those of the workers whose answers can be read',
    ['null', '{"chains":{},"kept":[]}', JSON.stringify({ chains: [chain(1)], kept: [] })],
    { chains: [chain(1)], kept: [] },
  ],
])('the report has %s', async (_, answers, expected) => {
  const asked: unknown[] = []
  const report = await reportedByWorkers({
    async ask(question, patienceMs, answered) {
      asked.push(question, patienceMs)
      for (const [index, text] of answers.entries()) answered(index + 1, text)
    },
  })
  expect(report).toEqual(expected)
  expect(asked).toEqual([{ kind: 'receipts' }, 1000])
})
