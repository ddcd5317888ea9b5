import type { Command } from 'commander'

/** Adds arguments, options, subcommands and the action to a command that has its name and summary. */
export type DefineCommand = (command: Command) => void

/** One command of `engine`. */
export interface CommandRow {
  readonly name: string
  /** Heading of the help under which it is listed. */
  readonly group: string
  /** One line without a final period. */
  readonly summary: string
  /** Loads only the modules of this command. */
  readonly define: () => Promise<DefineCommand>
}

const RULES = 'Rule files:'
const ANALYSIS = 'Analysis:'
const SIGNING = 'Signatures and forms:'
const OPERATION = 'Operation:'
const RELEASES = 'Releases:'
const OTHERS = 'Other:'

/** Every command in the order of the help. Dispatch, help and completion are generated from it. */
export const COMMANDS: readonly CommandRow[] = [
  {
    name: 'run',
    group: RULES,
    summary: 'Decide the inputs of a file by the rules of another, without a server',
    define: async () => (await import('./run/command.ts')).defineRun,
  },
  {
    name: 'show',
    group: RULES,
    summary: 'Draw the steps and branches of rules as text, Mermaid, Graphviz or SVG, with the coverage of cases',
    define: async () => (await import('./show/command.ts')).defineShow,
  },
  {
    name: 'check',
    group: RULES,
    summary: 'Validate rule files and exported projects, and run their cases',
    define: async () => {
      const { defineCheck } = await import('./check/commands.ts')
      const { defineCheckNumbers } = await import('./numbers/command.ts')
      return (command) => {
        defineCheck(command)
        defineCheckNumbers(command.command('numbers'))
      }
    },
  },
  {
    name: 'test',
    group: RULES,
    summary: 'Run the cases of rule files and exported projects',
    define: async () => (await import('./check/commands.ts')).defineTest,
  },
  {
    name: 'table',
    group: RULES,
    summary: 'Turn a spreadsheet into a draft with a decision table, and back',
    define: async () => (await import('./table/command.ts')).defineTable,
  },
  {
    name: 'import',
    group: RULES,
    summary: "Import documents of other rule engines, or name what rulesets of the specification's origin mean here",
    define: async () => (await import('./import/command.ts')).defineImport,
  },
  {
    name: 'schema',
    group: RULES,
    summary: 'Print the JSON Schema of rulesets, drafts, cases, suites or contracts, for editors',
    define: async () => (await import('./schema/command.ts')).defineSchema,
  },
  {
    name: 'typegen',
    group: RULES,
    summary: 'Generate TypeScript types from a contract, for `@engine/client`',
    define: async () => (await import('./typegen/command.ts')).defineTypegen,
  },
  {
    name: 'analyze',
    group: ANALYSIS,
    summary: 'Find dead and shadowed branches, gaps, errors and loops in rule files, for all inputs',
    define: async () => (await import('./analysis/commands.ts')).defineAnalyze,
  },
  {
    name: 'impact',
    group: ANALYSIS,
    summary: 'Find the inputs for which two versions of a ruleset decide differently',
    define: async () => (await import('./analysis/commands.ts')).defineImpact,
  },
  {
    name: 'why',
    group: ANALYSIS,
    summary: 'Name the smallest change of an input that gives it a result code',
    define: async () => (await import('./analysis/commands.ts')).defineWhy,
  },
  {
    name: 'cases',
    group: ANALYSIS,
    summary: 'Write the fewest cases found that take every branch, as a file of cases to confirm',
    define: async () => (await import('./analysis/commands.ts')).defineCases,
  },
  {
    name: 'coverage',
    group: ANALYSIS,
    summary: 'Measure a suite: branches, conditions (MC/DC), boundaries, and mutants that no case notices',
    define: async () => (await import('./analysis/commands.ts')).defineCoverage,
  },
  {
    name: 'verify-certificate',
    group: ANALYSIS,
    summary: 'Check, without a search, that a certificate proves its claims about rule files',
    define: async () => (await import('./analysis/commands.ts')).defineVerifyCertificate,
  },
  {
    name: 'keygen',
    group: SIGNING,
    summary: 'Generate a pair of Ed25519 keys to sign rulesets with',
    define: async () => (await import('./signing/keygen.ts')).defineKeygen,
  },
  {
    name: 'sign',
    group: SIGNING,
    summary: 'Sign a ruleset with Ed25519',
    define: async () => (await import('./signing/sign.ts')).defineSign,
  },
  {
    name: 'verify',
    group: SIGNING,
    summary: 'Verify the signature of a ruleset',
    define: async () => (await import('./signing/verify.ts')).defineVerify,
  },
  {
    name: 'verify-receipt',
    group: SIGNING,
    summary: 'Verify receipts of decisions, decide again by the same rules, and verify whole logs',
    define: async () => (await import('./receipts/command.ts')).defineVerifyReceipt,
  },
  {
    name: 'compile',
    group: SIGNING,
    summary: 'Convert a ruleset from one form to another: JSON, YAML, compiled binary',
    define: async () => (await import('./signing/compile.ts')).defineCompile,
  },
  {
    name: 'serve',
    group: OPERATION,
    summary: 'Start an engine: all options of `engine-server`',
    define: async () => (await import('./server/commands.ts')).defineServe,
  },
  {
    name: 'platform',
    group: OPERATION,
    summary: 'Start a platform, or run its commands: `migrate`, `backup`, `restore`, `create-admin`',
    define: async () => (await import('./server/commands.ts')).definePlatform,
  },
  {
    name: 'token',
    group: OPERATION,
    summary: 'Generate an API token and its line for the tokens file of an engine',
    define: async () => (await import('./server/token.ts')).defineToken,
  },
  {
    name: 'backup',
    group: OPERATION,
    summary: 'Copy a rules directory, also while a server writes to it',
    define: async () => (await import('./backup/command.ts')).defineBackup,
  },
  {
    name: 'audit',
    group: OPERATION,
    summary: 'Read the audit of an engine: changes of rulesets with their authors, and decisions',
    define: async () => (await import('./audit/command.ts')).defineAudit,
  },
  {
    name: 'login',
    group: RELEASES,
    summary: 'Sign in to a platform; the session is kept in a file that only its owner can read',
    define: async () => (await import('./platform/commands.ts')).defineLogin,
  },
  {
    name: 'logout',
    group: RELEASES,
    summary: 'End the session at the platform and delete its file',
    define: async () => (await import('./platform/commands.ts')).defineLogout,
  },
  {
    name: 'release',
    group: RELEASES,
    summary: 'Preview, create, approve, execute and watch releases',
    define: async () => (await import('./platform/commands.ts')).defineRelease,
  },
  {
    name: 'completion',
    group: OTHERS,
    summary: 'Print the completion script of a shell',
    define: async () => (await import('./completion/command.ts')).defineCompletion,
  },
]
