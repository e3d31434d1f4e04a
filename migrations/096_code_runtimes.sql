-- Languages in which callers' code has run. Processes keep their interpreters ready; those of other languages start with the
-- first code, since each holds 60 to 160 MB.
CREATE TABLE code_runtimes (runtime text PRIMARY KEY);
