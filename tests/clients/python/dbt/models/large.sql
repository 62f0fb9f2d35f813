{{ config(materialized='view') }}
select * from {{ ref('totals') }} where total > 3
