import { describe, expect, test } from 'vitest'
import { reachOf } from './address.ts'

describe('the reach of an address', () => {
  test.each([
    // link-local and cloud metadata, in every notation that carries it
    ['169.254.169.254', 'forbidden'],
    ['169.254.0.1', 'forbidden'],
    ['fe80::1', 'forbidden'],
    ['[fe80::1]', 'forbidden'],
    ['::ffff:169.254.169.254', 'forbidden'],
    ['::ffff:a9fe:a9fe', 'forbidden'],
    ['::169.254.169.254', 'forbidden'],
    ['::ffff:0:169.254.169.254', 'forbidden'],
    ['64:ff9b::169.254.169.254', 'forbidden'],
    ['64:ff9b:1::169.254.169.254', 'forbidden'],
    ['2002:a9fe:a9fe::1', 'forbidden'],
    ['2001:0:a9fe:a9fe::', 'forbidden'],
    ['2001:0:808:808:0:0:5601:5601', 'forbidden'],
    ['2001:db8:1:2:0:5efe:a9fe:a9fe', 'forbidden'],
    ['2001:db8:1:2:200:5efe:a9fe:a9fe', 'forbidden'],
    ['fd00:ec2::254', 'forbidden'],
    ['fd00:0ec2:0:0:0:0:0:0254', 'forbidden'],
    ['100.100.100.200', 'forbidden'],
    ['168.63.129.16', 'forbidden'],
    ['192.0.0.192', 'forbidden'],
    // this machine and the networks around it
    ['127.0.0.1', 'private'],
    ['127.8.9.10', 'private'],
    ['0.0.0.0', 'private'],
    ['10.1.2.3', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['100.64.0.1', 'private'],
    ['224.0.0.1', 'private'],
    ['255.255.255.255', 'private'],
    ['240.0.0.1', 'private'],
    ['192.0.2.1', 'private'],
    ['198.18.0.1', 'private'],
    ['::', 'private'],
    ['::1', 'private'],
    ['::127.0.0.1', 'private'],
    ['::ffff:127.0.0.1', 'private'],
    ['64:ff9b::10.0.0.1', 'private'],
    ['2002:7f00:1::', 'private'],
    ['fc00::1', 'private'],
    ['fd12:3456::1', 'private'],
    ['ff02::1', 'private'],
    ['2001:db8::1', 'private'],
    // the internet
    ['8.8.8.8', 'public'],
    ['172.32.0.1', 'public'],
    ['1.1.1.1', 'public'],
    ['::ffff:8.8.8.8', 'public'],
    ['64:ff9b::8.8.8.8', 'public'],
    ['2606:4700:4700::1111', 'public'],
  ])('%s is %s', (address, reach) => {
    expect(reachOf(address)).toBe(reach)
  })
})
