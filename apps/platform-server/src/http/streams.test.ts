import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { createStreams } from './streams.ts'

const answer = () => Object.assign(new EventEmitter(), { destroyed: false })
const [ann, key] = [
  { kind: 'user', id: 'ann' },
  { kind: 'key', id: 'ann' },
] as const

test('open streams are limited per caller', () => {
  const streams = createStreams(2)
  const [first, second] = [answer(), answer()]
  streams.opened(ann, first)
  streams.opened(ann, second)
  expect(() => streams.opened(ann, answer())).toThrow(/2 streams are open already/)
  streams.opened(key, answer())
  expect(streams.open).toBe(3)
  first.emit('close')
  streams.opened(ann, answer())
  expect(() => streams.opened(ann, answer())).toThrow(expect.objectContaining({ code: 'too-many-requests' }))
  expect(streams.open).toBe(3)
})

test('a closed stream counts once, and an ended one not at all', () => {
  const streams = createStreams(1)
  const gone = Object.assign(answer(), { destroyed: true })
  streams.opened(ann, gone)
  const only = answer()
  streams.opened(ann, only)
  only.emit('close')
  only.emit('close')
  expect(streams.open).toBe(0)
})
