import { invalidParameter, truthOf } from '@engine/http-api'
import { refuseName } from '@engine/ruleset'
import { Type } from 'typebox'
import { json } from '../../http/json-response.ts'
import { actingIn } from '../../resources/acting.ts'
import { memberRoute, type Route } from '../../http/route.ts'
import type { DraftParts } from '../drafts/view.ts'
import { inProject } from '../projects/project-scope.ts'
import { atBothPaths } from '../projects/routes.ts'
import { exportRoute } from './export-route.ts'
import { bytesIn, formatIn, IMPORT_FORMATS, optionsIn, READS, requireType } from './formats.ts'
import { applyImported, readDocument } from './document-import.ts'
import { IMPORT_BYTES, ImportDocument, ImportedRulesets } from './model.ts'

/** Routes that import rulesets from other formats and export them. */
export function interchangeRoutes(parts: DraftParts): readonly Route[] {
  return atBothPaths([importRoute(parts), exportRoute(parts)])
}

function importRoute(parts: DraftParts): Route {
  const { database, compute } = parts
  return memberRoute({
    method: 'POST',
    path: '/api/v1/orgs/:oid/projects/:pid/imports',
    right: 'ruleset.edit',
    summary: 'Import rulesets from another format, run their cases and report the losses',
    group: 'Rulesets',
    within: inProject(database),
    query: {
      format: Type.Union(
        IMPORT_FORMATS.map((format) => Type.Literal(format)),
        { description: 'of the document' },
      ),
      apply: Type.Boolean({ default: false, description: 'store the rulesets as new drafts, all or none' }),
      name: Type.String({ description: 'of the ruleset; of several the first part of their names' }),
      decision: Type.String({ description: 'for `dmn`: the name or id of the only decision to convert' }),
      repeat_input: Type.Boolean({
        default: true,
        description: 'for `jdm`: a result that includes the input has its fields that the document names',
      }),
    },
    body: ImportDocument,
    maxBodyBytes: IMPORT_BYTES,
    reads: READS,
    bodyExamples: { 'text/csv': TABLE, 'application/xml': DMN, 'text/xml': DMN },
    answers: { 200: ImportedRulesets },
    hasConflicts: true,
    isIdempotent: true,
    async handle(asked) {
      const { query, body, raw } = asked
      const format = formatIn(query)
      requireType(format, raw.headers['content-type'])
      const isApplied = truthOf(query, 'apply') === true
      const read = await readDocument(compute, format, bytesIn(body), nameIn(query), optionsIn(query, format))
      if (isApplied) await applyImported(parts, actingIn(database, asked), read)
      return json(200, { ...read.imported, report: read.report })
    },
  })
}

/** A table as CSV: `docs/platform/imports-tables.md`. */
const TABLE = 'in:order.total,out:fee\n>= 50,0\n,4.9\n'

const DMN =
  '<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/" id="d" name="fees" namespace="fees">' +
  '<inputData id="total" name="total"><variable name="total" typeRef="number"/></inputData>' +
  '<decision id="fee" name="fee"><variable name="fee" typeRef="number"/>' +
  '<informationRequirement id="r"><requiredInput href="#total"/></informationRequirement>' +
  '<literalExpression id="e"><text>total * 0.02</text></literalExpression></decision></definitions>'

function nameIn(query: URLSearchParams): string | undefined {
  const name = query.get('name') ?? undefined
  const reason = name === undefined ? undefined : refuseName(name)
  if (reason !== undefined) throw invalidParameter('name', `is not a ruleset name: ${reason}`)
  return name
}
