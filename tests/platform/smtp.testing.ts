import { type AddressInfo, createServer } from 'node:net'

/** A mail as sent: the envelope, and the message with its headers. */
interface ReceivedMail {
  readonly from: string
  readonly to: string
  readonly message: string
}

/** A server that takes every mail but those to `@refused.example` (RFC 5321, as far as one client needs it). */
export async function startMailServer(): Promise<{
  readonly url: string
  readonly mails: readonly ReceivedMail[]
  stop(): Promise<void>
}> {
  const mails: ReceivedMail[] = []
  const server = createServer((socket) => {
    let [from, to, message, buffered] = ['', '', '', '']
    let isMessage = false
    const say = (line: string) => socket.write(`${line}\r\n`)
    const take = (line: string) => {
      if (isMessage && line !== '.') return void (message += `${line}\n`)
      if (isMessage) {
        isMessage = false
        mails.push({ from, to, message })
        return say('250 taken')
      }
      if (/^EHLO/i.test(line)) return say('250 mail.test')
      if (/^MAIL FROM/i.test(line)) return say(`250 ${(from = line.slice(10))}`)
      if (/^RCPT TO.*@refused\.example/i.test(line)) return say('550 no such mailbox')
      if (/^RCPT TO/i.test(line)) return say(`250 ${(to = line.slice(8))}`)
      if (/^DATA/i.test(line)) {
        isMessage = true
        return say('354 go on')
      }
      say('221 done')
      return socket.end()
    }
    say('220 mail.test')
    socket.on('data', (bytes) => {
      const lines = (buffered + bytes.toString()).split('\r\n')
      buffered = lines.pop() ?? ''
      for (const line of lines) take(line)
    })
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mails,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
