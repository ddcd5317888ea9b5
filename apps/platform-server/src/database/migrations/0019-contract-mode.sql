-- What engines do with an input that breaks the contract of its ruleset. Existing projects go on deciding such inputs.
alter table projects
  add column contract_mode text not null default 'warn' check (contract_mode in ('off', 'warn', 'enforce'));
-- The weakest mode of released contracts; null: any.
alter table release_policies
  add column require_contract_mode text check (require_contract_mode in ('warn', 'enforce'));
