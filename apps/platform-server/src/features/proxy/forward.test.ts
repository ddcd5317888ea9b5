import { expect, onTestFinished, test } from 'vitest'
import { createForwarder } from './forward.ts'

test.each([
  'http://169.254.169.254',
  'http://100.100.100.200',
  'http://[fd00:ec2::254]',
  'http://[64:ff9b::a9fe:a9fe]',
  'http://[fe80::1]:8080',
])('an engine that says to be at %s is not asked', async (url) => {
  const forwarder = createForwarder()
  onTestFinished(() => forwarder.close())
  const { signal } = new AbortController()
  const asked = forwarder.send({ url: new URL(url), method: 'GET', headers: {}, body: undefined, signal })
  await expect(asked).rejects.toThrow('never called')
})
