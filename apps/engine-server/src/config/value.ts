import { BadWebOrigin, parseWebOrigin } from '@engine/egress'
import { quote } from '@engine/expression'
import { InvalidValue } from '@engine/process'
import { BadKey, parsePublicKey } from '@engine/signing'
import { BadBrokerUrl, type BrokerAddress, parseBrokerUrl } from '../sync/broker-address.ts'

/** Public keys of Ed25519 in base64, separated by commas. */
export function publicKeys(text: string): readonly string[] {
  return text.split(',').map((part, index) => {
    const key = part.trim()
    try {
      parsePublicKey(key)
      return key
    } catch (error) {
      if (error instanceof BadKey) throw new InvalidValue(`key ${index + 1}: ${error.message}`)
      throw error
    }
  })
}

/** Origins of web pages as browsers send them, or `*`, separated by commas. */
export function webOrigins(text: string): readonly string[] {
  return text.split(',').map((part) => {
    const origin = part.trim()
    if (origin === '*' || (/^https?:/.test(origin) && URL.parse(origin)?.origin === origin)) return origin
    throw new InvalidValue(
      `expected \`*\` or origins such as \`https://app.example.com\`, without a path, found ${quote(origin)}`,
    )
  })
}

/** The origin of an engine. */
export function engineOrigin(text: string): string {
  try {
    return parseWebOrigin(text)
  } catch (error) {
    if (error instanceof BadWebOrigin) throw new InvalidValue(error.message)
    throw error
  }
}

/** The address of a broker. */
export function brokerAddress(text: string): BrokerAddress {
  try {
    return parseBrokerUrl(text)
  } catch (error) {
    if (error instanceof BadBrokerUrl) throw new InvalidValue(error.message)
    throw error
  }
}
