CREATE TABLE customers (id INT);
CREATE TABLE orders (id INT, customer INT REFERENCES customers (id)); -- «customers»
CREATE VIEW open_orders AS SELECT * FROM orders JOIN customers ON 1 = 1; -- «orders customers»
CREATE FUNCTION order_sum(x INT) RETURNS INT AS $$
  SELECT count(*) FROM orders; -- «orders»
$$ LANGUAGE sql;
SELECT order_sum(id) FROM open_orders; -- «order_sum open_orders»
