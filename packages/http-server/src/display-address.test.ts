import { expect, test } from 'vitest'
import { httpUrl } from './display-address.ts'

test.each([
  [undefined, 'http://127.0.0.1:80'],
  ['0.0.0.0', 'http://127.0.0.1:80'],
  ['::', 'http://[::1]:80'],
  ['::1', 'http://[::1]:80'],
  ['localhost', 'http://localhost:80'],
])('the URL of host %j is %s', (host, url) => {
  expect(httpUrl('http', host, 80)).toBe(url)
})
