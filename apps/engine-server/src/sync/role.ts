/** The role of an instance: specification 3.2. */
export type Role = 'standalone' | 'writer' | 'reader'
