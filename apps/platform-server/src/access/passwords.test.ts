import { expect, test } from 'vitest'
import { hashPassword, isPassword } from './passwords.ts'

test('a password fits its own hash, and no other', async () => {
  const [hash, again] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')])
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  expect(again).not.toBe(hash)
  expect(await isPassword(hash, 'correct horse')).toBe(true)
  expect(await isPassword(hash, 'correct horsf')).toBe(false)
  expect(await isPassword(hash, '')).toBe(false)
})

test('no password matches a missing hash', async () => {
  for (const password of ['', 'x', '\0'.repeat(32)]) expect(await isPassword(undefined, password)).toBe(false)
})

test('concurrent checks each get their own result', async () => {
  const hash = await hashPassword('x')
  const answers = await Promise.all(Array.from({ length: 12 }, (_, at) => isPassword(hash, at % 2 === 0 ? 'x' : 'y')))
  expect(answers).toEqual(Array.from({ length: 12 }, (_, at) => at % 2 === 0))
})

test('the hash that an earlier release has stored fits its password', async () => {
  const stored = '$argon2id$v=19$m=19456,t=2,p=1$hMuYrFhRRQ91KF/l5FJNHw$Ws6/CUXRgrtTKFtejbQZyKt/IxqzCRiXIf+4TTHtwfc'
  expect([await isPassword(stored, 'correct horse'), await isPassword(stored, 'correct horsf')]).toEqual([true, false])
})
