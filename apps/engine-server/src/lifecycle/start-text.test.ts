import { expect, test } from 'vitest'
import { startText, type Started } from './start-text.ts'

const started: Started = {
  version: '1.2.3',
  url: 'http://127.0.0.1:8080',
  grpc: undefined,
  socket: undefined,
  rulesets: ['loan', 'vip-discount'],
  rulesDirectory: '.data/rules',
  tokens: false,
}

test('names the address, the rulesets and commands that work when pasted', () => {
  expect(startText(started)).toBe(`
engine-server 1.2.3 listens on http://127.0.0.1:8080: 2 rulesets, kept in .data/rules

Try next:
  curl -s http://127.0.0.1:8080/api/v1/rulesets
  curl -s http://127.0.0.1:8080/api/v1/execute/vip-discount -H 'content-type: application/json' -d '{"input": {"customer": {"tier": "gold", "years": 6}, "order": {"total": 240, "items": []}}, "trace": true}'
  http://127.0.0.1:8080/docs in a browser

`)
})

test.each<[Partial<Started>, string]>([
  [{ rulesets: ['loan'] }, '1 ruleset,'],
  [
    { rulesets: ['loan'] },
    `/api/v1/execute/loan -H 'content-type: application/json' -d '{"input": {}, "trace": true}'`,
  ],
  [{ rulesets: [] }, '/api/v1/eval '],
  [{ rulesDirectory: undefined }, 'kept in memory only'],
  [{ tokens: true }, 'curl -s -H "authorization: Bearer $TOKEN" http://127.0.0.1:8080/api/v1/rulesets'],
  [{ url: 'https://127.0.0.1:1' }, 'curl -s -k https://127.0.0.1:1/api/v1/rulesets'],
  [{ socket: '/run/e.sock' }, 'listens on http://127.0.0.1:8080 and /run/e.sock'],
  [{ url: undefined, socket: '/run/e.sock' }, 'curl -s --unix-socket /run/e.sock http://localhost/api/v1/rulesets'],
  [{ url: undefined, socket: "/run/my e'.sock" }, String.raw`--unix-socket '/run/my e'\''.sock' `],
])('with %j it prints %s', (different, text) => {
  expect(startText({ ...started, ...different })).toContain(text)
})
