import type { Configuration } from '../config/config.ts'

/** Sends mails. */
export interface Mail {
  /** Rejects when the server did not take it. */
  send(to: string, subject: string, text: string): Promise<void>
  close(): void
}

/** Milliseconds for each step of the connection to the server. */
const PATIENCE_MS = 10_000

/** Undefined: no server is configured, links are shown instead. Nothing is connected before the first mail. */
export async function openMail({
  smtpUrl,
  smtpFrom,
}: Pick<Configuration, 'smtpUrl' | 'smtpFrom'>): Promise<Mail | undefined> {
  if (smtpUrl === undefined || smtpFrom === undefined) return undefined
  const { createTransport } = await import('nodemailer')
  const { protocol, hostname, port, username, password } = new URL(smtpUrl)
  const secure = protocol === 'smtps:'
  const transport = createTransport({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    // A password never goes over the network in the clear.
    requireTLS: username !== '',
    ...(username === '' ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: PATIENCE_MS,
    greetingTimeout: PATIENCE_MS,
    socketTimeout: PATIENCE_MS,
    // Texts of mails are ours: they refer to no file and no address that would be read while sending.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send(to, subject, text) {
      await transport.sendMail({ from: smtpFrom, to: { name: '', address: to }, subject, text })
    },
    close: () => transport.close(),
  }
}
