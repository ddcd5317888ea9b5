import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { casesOfProperty } from '../../../../tests/cases.testing.ts'
import { Session } from './session.ts'

/** A session of a text, with the clock under the control of the test. */
function begin(doc = '') {
  const clock = { now: 0 }
  const session = new Session(doc, () => clock.now)
  return { session, clock, become: (after: string, key?: string) => session.apply(after, () => after, key) }
}

describe('undo and redo', () => {
  test('undo one change after the other, and redo them in order', () => {
    const { session, become } = begin()
    become('a')
    become('ab')
    const seen: string[] = []
    for (const step of ['undo', 'undo', 'undo', 'redo', 'redo', 'redo'] as const) {
      session[step]()
      seen.push(session.doc)
    }
    expect(seen).toEqual(['a', '', '', 'a', 'ab', 'ab'])
  })

  test('change nothing where there is nothing to undo or redo', () => {
    const { session, become } = begin('kept')
    session.undo()
    session.redo()
    become('a')
    session.redo()
    expect([session.doc, session.last, session.next]).toEqual(['a', 'a', undefined])
    session.undo()
    expect([session.doc, session.last]).toEqual(['kept', undefined])
  })

  test('name the change that they would undo or redo', () => {
    const { session, become } = begin()
    expect([session.last, session.next]).toEqual([undefined, undefined])
    become('a')
    become('ab')
    session.undo()
    expect([session.last, session.next]).toEqual(['a', 'ab'])
  })

  test('a new change discards the redo steps', () => {
    const { session, become } = begin()
    become('a')
    become('ab')
    session.undo()
    become('ac')
    expect(session.next).toBeUndefined()
    session.redo()
    expect(session.doc).toBe('ac')
    session.undo()
    expect(session.doc).toBe('a')
  })

  test('a change without effect adds no entry to the history, and keeps the redo steps', () => {
    const { session, become } = begin()
    become('a')
    session.undo()
    session.apply('nothing', (doc) => doc)
    expect([session.last, session.next]).toEqual([undefined, 'a'])
  })
})

describe('changes of one key', () => {
  test('within a second of the previous one are undone together', () => {
    const { session, clock, become } = begin()
    for (const after of ['h', 'he', 'hel', 'hell', 'hello']) {
      become(after, 'name')
      clock.now += 999
    }
    session.undo()
    expect(session.doc).toBe('')
    session.redo()
    expect(session.doc).toBe('hello')
  })

  test.each([
    ['a second later', 'name', 1000],
    ['of another key', 'title', 0],
    ['without a key', undefined, 0],
  ])('%s are undone alone', (_, key, pause) => {
    const { session, clock, become } = begin()
    become('h', 'name')
    clock.now += pause
    become('he', key)
    session.undo()
    expect(session.doc).toBe('h')
    session.undo()
    expect(session.doc).toBe('')
  })

  test('are one entry, and those before stay', () => {
    const { session, become } = begin()
    become('a')
    become('ab')
    for (const after of ['abh', 'abhe', 'abhel']) become(after, 'name')
    const seen: string[] = []
    while (session.last !== undefined) {
      session.undo()
      seen.push(session.doc)
    }
    expect(seen).toEqual(['ab', 'a', ''])
  })

  test('changes without a key are never joined', () => {
    const { session, become } = begin()
    become('a')
    become('ab')
    session.undo()
    expect(session.doc).toBe('a')
  })

  test('a redone change is not grouped with the next keystrokes', () => {
    const { session, become } = begin()
    become('h', 'name')
    session.undo()
    session.redo()
    become('he', 'name')
    session.undo()
    expect(session.doc).toBe('h')
  })
})

describe('a session is changed', () => {
  test('until its document is saved, and again when that is left', () => {
    const { session, become } = begin()
    expect(session.isChanged).toBe(false)
    become('a')
    expect(session.isChanged).toBe(true)
    session.saved('a')
    expect(session.isChanged).toBe(false)
    session.undo()
    expect(session.isChanged).toBe(true)
    session.redo()
    expect(session.isChanged).toBe(false)
  })

  test('when an earlier document is saved', () => {
    const { session, become } = begin()
    become('a')
    become('ab')
    session.saved('a')
    expect(session.isChanged).toBe(true)
  })
})

test('listeners are notified of each change and save until they unsubscribe', () => {
  const { session, become } = begin()
  let heard = 0
  const leave = session.subscribe(() => heard++)
  become('a')
  session.undo()
  session.redo()
  session.saved('a')
  expect(heard).toBe(4)
  session.undo()
  session.undo()
  session.apply('nothing', (doc) => doc)
  expect(heard).toBe(5)
  leave()
  become('b')
  expect(heard).toBe(5)
})

test('any sequence of changes, undo and redo shows the documents of a list with a position', () => {
  const step = fc.oneof(fc.constantFrom('undo' as const, 'redo' as const), fc.nat({ max: 9 }))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { session } = begin('0')
      let [shown, at] = [['0'], 0]
      for (const one of steps) {
        if (one === 'undo') at = Math.max(0, at - 1)
        else if (one === 'redo') at = Math.min(shown.length - 1, at + 1)
        else {
          shown = [...shown.slice(0, at + 1), `${shown[at]}${one}`]
          at++
        }
        if (typeof one === 'number') session.apply('type', (doc) => `${doc}${one}`)
        else session[one]()
        expect(session.doc).toBe(shown[at])
        expect([session.last !== undefined, session.next !== undefined]).toEqual([at > 0, at < shown.length - 1])
      }
    }),
    casesOfProperty(1000),
  )
})
