import { expect, test } from 'vitest'
import { createChangeGate } from './change-gate.ts'
import { outcomeOf } from './services.testing.ts'

test('a closed gate refuses changes without starting them; an open one admits them again', async () => {
  const gate = createChangeGate()
  const made: string[] = []
  const change = (name: string) => outcomeOf(() => gate.run(async () => made.push(name)))
  await change('one')
  await gate.close()
  expect(await change('two')).toBe('conflict: the tenant is being deleted: nothing in it can be changed')
  gate.open()
  await change('three')
  expect(made).toEqual(['one', 'three'])
})

test('closing waits for the changes under way, also for one that fails', async () => {
  const gate = createChangeGate()
  const [slow, failing] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  const runs = [gate.run(() => slow.promise), gate.run(() => failing.promise)]
  const ends: string[] = []
  const closed = gate.close().then(() => ends.push('closed'))
  failing.reject(new Error('no'))
  await expect(runs[1]).rejects.toThrow('no')
  ends.push('failed')
  slow.resolve('done')
  expect(await runs[0]).toBe('done')
  await closed
  expect(ends).toEqual(['failed', 'closed'])
})
