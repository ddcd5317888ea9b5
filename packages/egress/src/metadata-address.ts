import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js'

/** Cloud metadata services outside of and within 169.254.0.0/16. From the vendors' documentation. */
const METADATA_4: ReadonlySet<string> = new Set([
  '169.254.169.254', // AWS, Azure, DigitalOcean, Google, Hetzner, IBM, Linode, OpenStack, Oracle, Vultr and others
  '169.254.169.253', // AWS: names
  '169.254.169.123', // AWS: time
  '169.254.170.2', // AWS: tasks of ECS
  '169.254.170.23', // AWS: pods of EKS
  '169.254.0.23', // Tencent
  '169.254.42.42', // Scaleway
  '100.100.100.200', // Alibaba
  '168.63.129.16', // Azure: the host's agent
  '192.0.0.192', // Oracle, the older cloud
  '192.80.8.124', // Equinix
])

const METADATA_6: ReadonlySet<string> = new Set(
  [
    'fd20:ce::254', // Google
    'fd00:c1::a9fe:a9fe', // Oracle
    'fd00:42::42', // Scaleway
    'fd00:a9fe:a9fe::1', // Linode
  ].map((text) => ipaddr.IPv6.parse(text).toRFC5952String()),
)

/** AWS: `::254` metadata, `::23` pods of EKS, `::253` names, `::123` time. No customer addresses are in it. */
const AWS = ipaddr.IPv6.parseCIDR('fd00:ec2::/32')

export function isMetadata4(address: IPv4): boolean {
  return METADATA_4.has(address.toString())
}

export function isMetadata6(address: IPv6): boolean {
  return address.match(AWS) || METADATA_6.has(address.toRFC5952String())
}
