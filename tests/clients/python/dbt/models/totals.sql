select name, sum(amount) as total, count(*) as n from {{ ref('raw') }} group by name
