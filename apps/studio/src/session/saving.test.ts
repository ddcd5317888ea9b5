import type { DraftRuleset } from '@engine/authoring'
import { describe, expect, test } from 'vitest'
import { restoreWork, saveSession } from './saving.ts'
import { Session } from './session.ts'

const draft = (name: string): DraftRuleset => ({ config: { name }, steps: [] })
const [BASE, FIRST, SECOND] = [draft('base'), draft('first'), draft('second')]

/** A session on save 3 with one change. */
function changed() {
  const session = new Session(BASE, () => 0)
  session.apply('first', () => FIRST)
  return session
}

describe('a save', () => {
  test('stores the document on top of the save that it is based on', async () => {
    const session = changed()
    const stored: unknown[] = []
    const base = await saveSession(session, { seq: 3, doc: BASE }, (...given) => {
      stored.push(given)
      return Promise.resolve(4)
    })
    expect(stored).toEqual([[FIRST, 3]])
    expect(base).toEqual({ seq: 4, doc: FIRST })
    expect(session.isChanged).toBe(false)
  })

  test('leaves keystrokes during a save unsaved', async () => {
    const session = changed()
    const ended = Promise.withResolvers<number>()
    const saving = saveSession(session, { seq: 3, doc: BASE }, () => ended.promise)
    session.apply('second', () => SECOND)
    ended.resolve(4)
    expect(await saving).toEqual({ seq: 4, doc: FIRST })
    expect([session.doc, session.isChanged]).toEqual([SECOND, true])
    session.undo()
    expect(session.isChanged).toBe(false)
  })

  test('that fails leaves the session changed', async () => {
    const session = changed()
    await expect(saveSession(session, { seq: 3, doc: BASE }, () => Promise.reject(new Error('full')))).rejects.toThrow(
      'full',
    )
    expect([session.doc, session.isChanged]).toEqual([FIRST, true])
  })
})

describe('the work of an earlier visit', () => {
  test('is restored as one change, on top of the save that it began with', () => {
    const session = new Session(SECOND, () => 0)
    const base = restoreWork(session, { seq: 3, base: BASE, draft: FIRST, at: 0 }, 'restore')
    expect(base).toEqual({ seq: 3, doc: BASE })
    expect([session.doc, session.isChanged, session.last]).toEqual([FIRST, true, 'restore'])
    session.undo()
    expect([session.doc, session.isChanged]).toEqual([SECOND, false])
  })
})
